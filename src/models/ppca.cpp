// PPCA as a model: plan, gauge, E-step, prior and draws.
#include "core/robust.hpp"
#include "models/ppca_form.hpp"
#include <thalweg/core/family.hpp>

#include <array>
#include <random>

namespace thalweg {

using kernels::packed_at;
using kernels::tile_stride;
using kernels::triangle;

Ppca::Ppca(PpcaOptions options) : r_(options.rank), expanded_(options.expanded) {
  if (r_ == 0) throw UsageError("ppca needs at least one factor (" + option("rank") + ")");
}

Plan Ppca::plan(const Schema& schema) const {
  const std::size_t d = schema.width();
  if (r_ >= d)
    throw UsageError("rank " + std::to_string(r_) + " needs at least " + std::to_string(r_ + 1) +
                     " columns, the data have " + std::to_string(d) +
                     " (factors must be fewer than columns: " + option("rank") + ")");
  Plan made({{.name = "scores", .shape = {r_}},
             {.name = "score_products", .shape = {triangle(r_)}},
             {.name = "sums", .shape = {d}},
             {.name = "products", .shape = {d, r_}},
             {.name = "squares", .shape = {}}},
            {{.name = "mean", .shape = {d}, .axes = {Axis::column}, .meaning = Meaning::location},
             {.name = "loadings",
              .shape = {d, r_},
              .axes = {Axis::column, Axis::other},
              .meaning = Meaning::loading,
              .domain = Domain::loadings},
             {.name = "noise_variance",
              .shape = {},
              .meaning = Meaning::spread,
              .domain = Domain::positive},
             {.name = "shift", .shape = {d}, .axes = {Axis::column}, .constant = true},
             {.name = "scale",
              .shape = {},
              .meaning = Meaning::scale,
              .domain = Domain::positive,
              .constant = true}},
            d + d * r_ - r_ * (r_ - 1) / 2 + 1,
            r_ + 2,   // r + 1 rows lie in an r-dimensional plane: no noise is left
            16 * d);  // a covariance is known well enough to start from
  made.starts = 1;
  return made;
}

/// Medians, and the root mean square of the columns' robust scales. Columns that do not vary tell no scale, unless none does.
void Ppca::calibrate(const Block& buffer, Parameters& theta) const {
  constexpr std::size_t enough = 8192;  // rows: quantiles need no more
  const std::size_t d = columns(theta);
  PpcaParameters<double> at(theta.data(), d, r_);
  const std::size_t step = std::max<std::size_t>(buffer.rows / enough, 1);
  double largest = 0;
  std::vector<double> scales;
  for (std::size_t j = 0; j < d && buffer.rows == 0; ++j) {  // the model's own standard deviations
    at.shift[j] = at.mean[j];
    double squared = *at.noise;
    for (std::size_t k = 0; k < r_; ++k) squared += square(at.loadings[j * r_ + k]);
    scales.push_back(std::sqrt(squared));
  }
  constexpr std::size_t line = 8;  // columns at a time: those that a cache line brings together
  for (std::size_t begin = 0; begin < d && buffer.rows > 0; begin += line) {
    std::array<std::vector<double>, line> columns;
    const std::size_t count = std::min(line, d - begin);
    for (std::size_t t = 0; t < buffer.rows; t += step)
      for (std::size_t c = 0; c < count; ++c) columns[c].push_back(buffer.row(t)[begin + c]);
    for (std::size_t c = 0; c < count; ++c) {
      const auto [low, high] = std::ranges::minmax(columns[c]);
      const ColumnGauge gauge = robust_gauge(std::move(columns[c]));
      at.shift[begin + c] = gauge.shift;
      if (low < high) scales.push_back(gauge.scale);
      largest = std::max(largest, gauge.scale);
    }
  }
  const double unit = scales.empty() ? largest : std::ranges::max(scales);
  double squares = scales.empty() ? 1 : 0;
  for (const double scale : scales) squares += (scale / unit) * (scale / unit);
  squares /= static_cast<double>(std::max<std::size_t>(scales.size(), 1));
  const double scale = unit * std::sqrt(squares);
  using Limits = PpcaParameters<double>;
  at.shift[d] = std::clamp(std::isfinite(scale) ? scale : Limits::largest_scale,
                           Limits::smallest_scale, Limits::largest_scale);
}

void Ppca::check(const Schema& schema, const Block& block) const {
  const auto fits = [](double y) { return std::abs(y) <= kernels::largest_standardised; };
  for (std::size_t t = 0; t < block.rows; ++t) {
    const double* y = block.row(t);
    bool all = true;  // without a branch for every cell
    for (std::size_t j = 0; j < block.columns; ++j) all &= fits(y[j]);
    for (std::size_t j = 0; j < block.columns && !all; ++j)
      if (!fits(y[j]))
        throw RowError(block.number(t),
                       "column \"" + schema.columns[j] + "\": " + refusal(y[j], name, domain));
  }
}

namespace {

/// The E-step at one theta.
class PpcaPrepared final : public Prepared {
 public:
  PpcaPrepared(const Parameters& theta, std::size_t d, std::size_t r) : form_(theta, d, r), r_(r) {}

  double expect(const Block& block, Sums& sums, Work& work) const override {
    using namespace kernels;
    const std::size_t d = block.columns;
    std::vector<double> by_x(d * (r_ + 1));
    std::vector<double> by_c(r_ * (r_ + 1));
    double norm = 0;
    double weight = 0;
    double log_likelihood = 0;
    form_.tiles(block, [&](const PpcaForm::Tile& tile) {
      double* weighted = tile.weights;  // w and w c, one behind the other
      if (block.side.weight) {
        weighted = form_.spare(tile);
        std::copy(tile.weights, tile.norm, weighted);
        for (std::size_t k = 0; k <= r_; ++k)
          for (std::size_t t = 0; t < tile.rows; ++t)
            weighted[k * tile_stride + t] *= block.weight(tile.begin + t);
      }
      double part = 0;
      for (std::size_t t = 0; t < tile.rows; ++t) {
        part += weighted[t] * tile.log_density[t];
        norm += weighted[t] * tile.norm[t];
        weight += weighted[t];
      }
      log_likelihood += part;
      if (work.log_density) std::copy_n(tile.log_density, tile.rows, work.log_density + tile.begin);
      tile_accumulate(tile.x, weighted, d, r_ + 1, tile.rows, by_x.data());
      tile_accumulate(tile.c, weighted, r_, r_ + 1, tile.rows, by_c.data());
    });
    form_.add(by_x, by_c, norm, weight, sums);
    sums.weight += weight;
    return log_likelihood;
  }

  void explain(const Block& block, Explanation& out) const override {
    out.classes = 0;
    out.factors = r_;
    out.posterior.clear();
    out.log_density.resize(block.rows);
    out.scores.resize(block.rows * r_);
    form_.tiles(block, [&](const PpcaForm::Tile& tile) {
      double* z = form_.spare(tile);
      form_.factors(tile, z);
      for (std::size_t t = 0; t < tile.rows; ++t) {
        out.log_density[tile.begin + t] = tile.log_density[t];
        for (std::size_t k = 0; k < r_; ++k)
          out.scores[(tile.begin + t) * r_ + k] = z[k * tile_stride + t];
      }
    });
  }

 private:
  PpcaForm form_;
  std::size_t r_;
};

}  // namespace

std::unique_ptr<const Prepared> Ppca::prepare(const Parameters& theta) const {
  return std::make_unique<const PpcaPrepared>(theta, columns(theta), r_);
}

void Ppca::draw(const Parameters& theta, const Block&, Carry&, Random& random, double* row) const {
  const std::size_t d = columns(theta);
  const PpcaParameters<const double> at(theta.data(), d, r_);
  std::normal_distribution<double> normal;
  std::vector<double> z(r_);
  for (double& factor : z) factor = normal(random);
  for (std::size_t j = 0; j < d; ++j) {
    row[j] = at.mean[j] + std::sqrt(*at.noise) * normal(random);
    for (std::size_t k = 0; k < r_; ++k) row[j] += at.loadings[j * r_ + k] * z[k];
  }
}

/// E_S log p(y, z) = -½ (d log 2 pi noise + E |y - m - W z|² / noise + r log 2 pi + E |z|²).
double Ppca::score(const Parameters& theta, const Statistic& S) const {
  const std::size_t d = columns(theta);
  const PpcaParameters<const double> at(theta.data(), d, r_);
  const PpcaStatistic<const double> s(S.data(), d, r_);
  double distance = *s.norm;
  double factors = 0;
  std::vector<double> squared(triangle(r_));  // W'W
  for (std::size_t j = 0; j < d; ++j) {
    const double m = at.mean_in_gauge(j);
    distance -= m * (2 * s.sums[j] - m);
    for (std::size_t k = 0; k < r_; ++k) {
      const double w = at.loading_in_gauge(j * r_ + k);
      distance -= 2 * w * (s.products[j * r_ + k] - m * s.scores[k]);
      for (std::size_t i = 0; i <= k; ++i)
        squared[packed_at(k, i)] += w * at.loading_in_gauge(j * r_ + i);
    }
  }
  for (std::size_t k = 0; k < r_; ++k) {
    factors += s.squares[packed_at(k, k)];
    for (std::size_t i = 0; i <= k; ++i)
      distance += (i < k ? 2 : 1) * squared[packed_at(k, i)] * s.squares[packed_at(k, i)];
  }
  double signal = 0;
  for (std::size_t k = 0; k < r_; ++k) signal += squared[packed_at(k, k)];
  const double noise = at.noise_in_gauge(signal);
  const auto reals = static_cast<double>(d);
  return -0.5 * (reals * (log_two_pi + std::log(noise) + 2 * std::log(at.scale)) +
                 distance / noise + static_cast<double>(r_) * log_two_pi + factors);
}

Statistic Ppca::prior(const Block&, const Parameters& theta) const {
  const std::size_t d = columns(theta);
  Statistic S_0(plan(Schema::numbered(d)).statistic);
  const PpcaStatistic<double> s(S_0.data(), d, r_);
  for (std::size_t k = 0; k < r_; ++k) s.squares[packed_at(k, k)] = 1;
  *s.norm = static_cast<double>(d);
  return S_0;
}

/// y' = a y + b.
void Ppca::regauge(const Parameters& from, const Parameters& to, Statistic& S) const {
  const std::size_t d = columns(from);
  const PpcaParameters<const double> old(from.data(), d, r_);
  const PpcaParameters<const double> now(to.data(), d, r_);
  const PpcaStatistic<double> s(S.data(), d, r_);
  const double a = old.scale / now.scale;
  *s.norm *= a * a;
  for (std::size_t j = 0; j < d; ++j) {
    const double b = (old.shift[j] - now.shift[j]) / now.scale;
    *s.norm += b * (2 * a * s.sums[j] + b);
    s.sums[j] = a * s.sums[j] + b;
    for (std::size_t k = 0; k < r_; ++k)
      s.products[j * r_ + k] = a * s.products[j * r_ + k] + b * s.scores[k];
  }
}

}  // namespace thalweg
