// Distances between components, from the meanings of their parameters.
#include "core/alike.hpp"

#include "core/change.hpp"
#include <thalweg/kernels/cholesky.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace thalweg {
namespace {

constexpr double far = std::numeric_limits<double>::infinity();

double squared(double x) { return x * x; }

/// Variances and covariances of columns, in their own squared units; without such a piece the data's squared scale.
class Spread {
 public:
  explicit Spread(const Parameters& theta) : scale_(theta), values_(theta.data()) {
    for (const Piece& piece : theta.layout().pieces())
      if (!piece.constant && piece.meaning == Meaning::spread) piece_ = &piece;
    if (!piece_) return;
    if (piece_->by_component()) part_ = piece_->size() / piece_->shape[0];
    axes_ = piece_->shape.size() - (piece_->by_component() ? 1 : 0);
  }

  bool is_matrix() const { return piece_ && piece_->domain == Domain::covariance; }
  bool by_component() const { return part_ > 0; }

  /// i = j where there are no covariances.
  double in(std::size_t component, std::size_t i, std::size_t j) const {
    if (!piece_) return i == j ? scale_[i] * scale_[i] : 0;
    const std::size_t at = axes_ == 0 ? 0 : axes_ == 1 ? i : i * piece_->shape.back() + j;
    return values_[piece_->offset + component * part_ + at];
  }
  double between(std::size_t k, std::size_t l, std::size_t i, std::size_t j) const {
    return (in(k, i, j) + in(l, i, j)) / 2;
  }

 private:
  Scale scale_;
  const double* values_;
  const Piece* piece_ = nullptr;
  std::size_t part_ = 0;  // numbers of a component; 0: all share them
  std::size_t axes_ = 0;  // of columns
};

/// Whether two rows of a table of transitions lead to the same: it does not matter to which of the two themselves.
double apart_in_transitions(const double* table, std::size_t K, std::size_t k, std::size_t l) {
  const double* const from_k = table + k * K;
  const double* const from_l = table + l * K;
  const auto chi = [](double p, double q) { return p + q > 0 ? 2 * squared(p - q) / (p + q) : 0; };
  double sum = chi(from_k[k] + from_k[l], from_l[k] + from_l[l]);
  for (std::size_t j = 0; j < K; ++j)
    if (j != k && j != l) sum += chi(from_k[j], from_l[j]);
  return sum;
}

/// What a number adds to the squared distance that is a in one component and b in the other; `variance`: of its column.
double apart_in_number(Meaning meaning, double a, double b, double variance) {
  constexpr double strict = 50;  // of numbers that nobody knows the meaning of a thousandth tells
  const double size = (std::abs(a) + std::abs(b)) / 2;
  if (a == b || !(size > 0)) return 0;
  switch (meaning) {
    case Meaning::location:
      return squared(a - b) / variance;
    case Meaning::spread:
      return squared((a - b) / size) / 2;
    case Meaning::rate:
    case Meaning::probability:
      return squared(a - b) / size;
    default:
      return squared(strict * (a - b) / size);
  }
}

class Distance {
 public:
  explicit Distance(const Parameters& theta) : theta_(theta), spread_(theta) {
    const Piece* const shares = component_probabilities(theta.layout());
    for (const Piece& piece : theta.layout().pieces()) {
      if (piece.constant || &piece == shares || !piece.by_component()) continue;
      if (piece.meaning == Meaning::location) means_ = &piece;
      pieces_.push_back(&piece);
    }
  }

  /// Squared, or more than `most`.
  double squared_between(std::size_t k, std::size_t l, double most) const {
    double sum = 0;
    for (const Piece* const piece : pieces_) {
      const std::size_t K = piece->shape[0];
      const std::size_t part = piece->size() / K;
      const double* const of_k = theta_.data() + piece->offset + k * part;
      const double* const of_l = theta_.data() + piece->offset + l * part;
      const bool matrix = piece->domain == Domain::covariance;  // has its turn as a whole
      if (std::ranges::count(piece->axes, Axis::component) > 1) {
        sum += apart_in_transitions(theta_.data() + piece->offset, K, k, l);
      } else {
        for (std::size_t i = 0; i < part && sum <= most && !matrix; ++i) {
          const std::size_t j = piece == means_ ? i : 0;
          sum += apart_in_number(piece->meaning, of_k[i], of_l[i],
                                 piece == means_ ? spread_.between(k, l, j, j) : 1);
        }
      }
      if (sum > most) return sum;
    }
    return spread_.is_matrix() && means_ ? std::max(sum, in_matrices(k, l)) : sum;
  }

 private:
  /// Means and covariances in coordinates in which the covariance in the middle is a unit matrix.
  double in_matrices(std::size_t k, std::size_t l) const {
    const std::size_t d = means_->shape.back();
    const double* const means = theta_.data() + means_->offset;
    std::vector<double> factor(kernels::triangle(d));
    std::vector<double> difference(d * d);
    std::vector<double> way(d);
    for (std::size_t i = 0; i < d; ++i) {
      for (std::size_t j = 0; j < d; ++j) {
        if (j <= i) factor[kernels::packed_at(i, j)] = spread_.between(k, l, i, j);
        difference[i * d + j] = spread_.in(k, i, j) - spread_.in(l, i, j);
      }
      way[i] = means[k * d + i] - means[l * d + i];
    }
    if (!kernels::cholesky(factor.data(), d)) return far;
    kernels::forward_substitute(factor.data(), d, way.data());
    double sum = 0;
    for (const double x : way) sum += x * x;
    if (!spread_.by_component()) return sum;
    for (int side = 0; side < 2; ++side) {  // L^-1 D, then the same of its transpose
      for (std::size_t i = 0; i < d; ++i)
        kernels::forward_substitute(factor.data(), d, difference.data() + i * d);
      for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = 0; j < i; ++j) std::swap(difference[i * d + j], difference[j * d + i]);
    }
    for (const double x : difference) sum += x * x / 2;
    return sum;
  }

  const Parameters& theta_;
  Spread spread_;
  std::vector<const Piece*> pieces_;
  const Piece* means_ = nullptr;
};

}  // namespace

double apart(const Parameters& theta, std::size_t k, std::size_t l) {
  return std::sqrt(Distance(theta).squared_between(k, l, far));
}

std::vector<std::vector<std::size_t>> alike_components(const Parameters& theta) {
  constexpr double most = alike_within * alike_within;
  const std::size_t K = theta.layout().extent(Axis::component);
  const Distance distance(theta);
  std::vector<std::vector<std::size_t>> groups;
  std::vector<bool> taken(K);
  for (std::size_t k = 0; k < K; ++k) {
    if (taken[k]) continue;
    std::vector<std::size_t> group = {k};
    for (std::size_t l = k + 1; l < K; ++l) {
      if (taken[l] || distance.squared_between(k, l, most) > most) continue;
      taken[l] = true;
      group.push_back(l);
    }
    if (group.size() > 1) groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace thalweg
