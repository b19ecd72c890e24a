// Scores of rows by differences, and the information in them.
#include <thalweg/core/fixed.hpp>
#include <thalweg/estimators/information.hpp>
#include <thalweg/kernels/cholesky.hpp>

#include <algorithm>
#include <cmath>

namespace thalweg {
namespace {

/// How much of direction `along` is in an entry.
double share(const Direction& along, std::size_t entry) {
  if (entry == along.entry) return 1;
  return entry == along.partner ? along.partner_sign : 0;
}

void move(Parameters& theta, const Direction& along, double by) {
  theta.data()[along.entry] += by;
  if (along.partner != along.entry) theta.data()[along.partner] += along.partner_sign * by;
}

/// Scores of all rows along one direction.
class Differences {
 public:
  Differences(const Model& model, const Parameters& theta, const Block& rows)
      : model_(model), theta_(theta), rows_(rows) {}

  /// A step is good when it changes log densities by about a thousandth: curvature and rounding are both far below the score then.
  std::vector<double> operator()(const Direction& along, double scale) {
    constexpr double wanted = 1e-3;
    double step = 1e-4 * scale;
    std::vector<double> scores;
    for (int attempt = 0; attempt < 40; ++attempt) {
      scores = difference(along, step);
      const double change = step * size(scores);
      if (!std::isfinite(change) || change > 10 * wanted) {
        step = std::isfinite(change) ? step * std::min(0.1, wanted / change) : 0.1 * step;
      } else if (change < 1e-3 * wanted && change > 0 && step < 0.1 * scale) {
        step = std::min(step * std::min(wanted / change, 100.0), 0.1 * scale);
      } else {
        break;
      }
    }
    return scores;
  }

 private:
  std::vector<double> difference(const Direction& along, double step) {
    std::vector<double> above = log_densities(along, step);
    const std::vector<double> below = log_densities(along, -step);
    for (std::size_t t = 0; t < above.size(); ++t) above[t] = (above[t] - below[t]) / (2 * step);
    return above;
  }

  std::vector<double> log_densities(const Direction& along, double by) {
    Parameters moved = theta_;
    move(moved, along, by);
    explain(model_, moved, rows_, seen_);
    return seen_.log_density;
  }

  double size(const std::vector<double>& scores) const {
    double squares = 0;
    for (std::size_t t = 0; t < scores.size(); ++t)
      squares += rows_.weight(t) * scores[t] * scores[t];
    return std::sqrt(squares / rows_.total_weight());
  }

  const Model& model_;
  const Parameters& theta_;
  const Block& rows_;
  Explanation seen_;
};

double root_mean_square(const Parameters& theta, const Piece& piece) {
  double squares = 0;
  for (std::size_t i = 0; i < piece.size(); ++i)
    squares += theta.data()[piece.offset + i] * theta.data()[piece.offset + i];
  return std::sqrt(squares / static_cast<double>(piece.size()));
}

/// A^-1 by its Cholesky factor in units in which the diagonal is 1; false where it is singular.
bool invert(const std::vector<double>& a, std::size_t p, std::vector<double>& inverse) {
  using namespace kernels;
  std::vector<double> scale(p);
  for (std::size_t i = 0; i < p; ++i) scale[i] = std::sqrt(a[i * p + i]);
  std::vector<double> packed(triangle(p));
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      packed[packed_at(i, j)] = a[i * p + j] / (scale[i] * scale[j]);
  if (!cholesky(packed.data(), p)) return false;
  for (std::size_t i = 0; i < p; ++i)
    if (packed[packed_at(i, i)] < 1e-6) return false;
  invert_factor(packed.data(), p, packed.data());
  std::vector<double> precision(triangle(p));
  precision_of(packed.data(), p, precision.data());
  inverse.resize(p * p);
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      inverse[i * p + j] = inverse[j * p + i] = precision[packed_at(i, j)] / (scale[i] * scale[j]);
  return true;
}

/// Behind the distribution to which an entry of the last extent belongs.
std::size_t part_end(const Piece& piece, std::size_t column) {
  std::size_t end = 0;
  for (const std::size_t size : piece.distributions()) {
    end += size;
    if (column < end) break;
  }
  return end;
}

}  // namespace

std::vector<Direction> directions(const Layout& layout, const Fixed* fixed) {
  std::vector<Direction> all;
  for (const Piece& piece : layout.pieces()) {
    if (piece.constant) continue;
    const std::size_t part = piece.size() / (piece.shape.empty() ? 1 : piece.shape.front());
    const std::size_t last = piece.shape.empty() ? 1 : piece.shape.back();
    for (std::size_t i = 0; i < piece.size(); ++i) {
      if (fixed && fixed->holds(piece.name, i / part)) continue;
      const std::size_t entry = piece.offset + i;
      const std::size_t column = i % last;
      const std::size_t row = i / last % last;
      if (piece.domain == Domain::simplex) {
        if (column + 1 < last) all.push_back({entry, entry - column + last - 1, -1});
      } else if (piece.domain == Domain::distributions) {
        const std::size_t end = part_end(piece, column);
        if (column + 1 < end) all.push_back({entry, entry - column + end - 1, -1});
      } else if (piece.domain == Domain::covariance) {
        if (column < row)
          all.push_back({entry, entry - row * last - column + column * last + row, 1});
        if (column == row) all.push_back({entry, entry, 1});
      } else {
        all.push_back({entry, entry, 1});
      }
    }
  }
  return all;
}

double Information::between(std::size_t entry, std::size_t other) const {
  const std::size_t p = along.size();
  double sum = 0;
  for (std::size_t i = 0; i < p; ++i) {
    if (share(along[i], entry) == 0) continue;
    for (std::size_t j = 0; j < p; ++j)
      sum += share(along[i], entry) * covariance[i * p + j] * share(along[j], other);
  }
  return sum;
}

std::vector<double> Information::standard_errors(std::size_t entries, double n) const {
  std::vector<double> errors(entries);
  if (singular) return errors;
  for (std::size_t i = 0; i < entries; ++i) errors[i] = std::sqrt(between(i, i) / n);
  return errors;
}

Information information(const Model& model, const Parameters& theta, const Block& rows,
                        const Fixed* fixed) {
  Information result{.along = directions(theta.layout(), fixed), .rows = rows.total_weight()};
  const std::size_t p = result.along.size();
  Differences differences(model, theta, rows);
  std::vector<std::vector<double>> scores;
  for (const Direction& direction : result.along) {
    const auto piece = std::ranges::find_if(theta.layout().pieces(), [&](const Piece& at) {
      return direction.entry >= at.offset && direction.entry < at.offset + at.size();
    });
    const double own = std::abs(theta.data()[direction.entry]);
    const double usual = root_mean_square(theta, *piece);
    const double scale = own > 0 ? own : usual;
    scores.push_back(differences(direction, scale > 0 ? scale : 1));
  }
  result.matrix.resize(p * p);
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0;
      for (std::size_t t = 0; t < rows.rows; ++t)
        sum += rows.weight(t) * scores[i][t] * scores[j][t];
      result.matrix[i * p + j] = result.matrix[j * p + i] = sum / result.rows;
    }
  result.singular = !invert(result.matrix, p, result.covariance);
  return result;
}

}  // namespace thalweg
