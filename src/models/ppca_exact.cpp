// The maximum of the likelihood in closed form (Tipping & Bishop 1999): with l_1 >= … >= l_d and U the eigenvalues and vectors
// of the covariance, noise = (l_(r+1) + … + l_d) / (d - r) and W = U_r (l - noise)^(1/2). Starts use it on the first rows.
#include "models/ppca_form.hpp"

#include <random>

namespace thalweg {

using kernels::packed_at;
using kernels::triangle;

std::shared_ptr<const Layout> Ppca::observed(const Schema& schema) const {
  const std::size_t d = schema.width();
  return std::make_shared<const Layout>(std::vector<Piece>{
      {.name = "sums", .shape = {d}}, {.name = "products", .shape = {triangle(d)}}});
}

void Ppca::tally(const Parameters& theta, const Block& block, Sums& sums) const {
  using namespace kernels;
  const std::size_t d = block.columns;
  const PpcaParameters<const double> at(theta.data(), d, r_);
  const std::vector<double> inverse_scale(d, 1 / at.scale);
  const std::vector<double> origin(d);
  const Workspace workspace(d * tile_stride + 2 * tile_stride + outer_work(d));
  double* const y = workspace.data();
  double* const norm = y + d * tile_stride;
  double* const weights = norm + tile_stride;
  for (std::size_t begin = 0; begin < block.rows; begin += tile_rows) {
    const std::size_t rows = std::min(tile_rows, block.rows - begin);
    tile_standardise(block.row(begin), block.stride, rows, d, at.shift, inverse_scale.data(), y);
    tile_squared_norm(y, d, rows, norm);
    draw_in(y, norm, d, rows, origin.data());
    std::fill(weights, weights + padded(rows), 0.0);
    for (std::size_t t = 0; t < rows; ++t) sums.weight += weights[t] = block.weight(begin + t);
    tile_accumulate(y, weights, d, 1, rows, sums.data());
    tile_outer(y, weights, d, rows, weights + tile_stride, sums.data() + d);
  }
}

double Ppca::solve(const Statistic& moments, const Context& context, Parameters& theta,
                   Statistic& S) const {
  for (const char* piece : {"loadings", "noise_variance"})
    if (context.holds(piece, 0))
      throw UsageError("the closed form can hold no " + std::string(piece) +
                       ", only the mean (EM can hold any)");
  const std::size_t d = columns(theta);
  const std::size_t r = r_;
  const PpcaParameters<double> at(theta.data(), d, r);
  const PpcaStatistic<double> s(S.data(), d, r);
  const double* const sums = moments.data();
  std::vector<double> mean(d);
  std::vector<double> covariance(sums + d, sums + d + triangle(d));  // E (y - mean)(y - mean)'
  double norm = 0;
  for (std::size_t j = 0; j < d; ++j) {
    norm += covariance[packed_at(j, j)];
    mean[j] = context.holds("mean", 0) ? at.mean_in_gauge(j) : sums[j];
    for (std::size_t i = 0; i <= j; ++i)
      covariance[packed_at(j, i)] -= mean[i] * sums[j] + mean[j] * sums[i] - mean[i] * mean[j];
  }
  std::vector<double> values(d);  // ascending
  std::vector<double> vectors(d * d);
  if (!kernels::symmetric_eigen(covariance.data(), d, values.data(), vectors.data())) {
    context.count(Event::covariance_repaired);  // as if it were round
    for (std::size_t j = 0; j < d; ++j) {
      for (std::size_t i = 0; i < d; ++i) values[i] += covariance[packed_at(j, j)];
      vectors[j * d + j] = 1;
    }
    for (double& value : values) value /= static_cast<double>(d);
  }
  double rest = 0;
  for (std::size_t i = 0; i < d - r; ++i) rest += std::max(values[i], 0.0);
  const double lowest = std::max(context.floor, rounding * std::max(1.0, norm));
  double noise = rest / static_cast<double>(d - r);
  if (!(noise >= lowest)) {
    noise = lowest;
    context.count(Event::floor_reached);
  }

  std::fill(S.values().begin(), S.values().end(), 0.0);
  S.weight = moments.weight;
  *s.norm = norm;
  double twice = static_cast<double>(d) * (log_two_pi + 2 * std::log(at.scale)) +
                 static_cast<double>(d - r) * std::log(noise) + rest / noise;
  for (std::size_t k = 0; k < r; ++k) {
    const double value = std::max(values[d - 1 - k], 0.0);
    const double length = std::sqrt(std::max(value - noise, 0.0));
    const double total = length * length + noise;  // M_kk; the others are 0
    const double gain = length / total;            // z_k = gain U_k' (y - mean)
    twice += std::log(total) + value / total;
    for (std::size_t j = 0; j < d; ++j)
      at.loadings[j * r + k] = length * vectors[j * d + d - 1 - k];
    const double sign = point_upwards(at.loadings, d, r, k) ? -1 : 1;
    for (std::size_t j = 0; j < d; ++j) {
      const double direction = sign * vectors[j * d + d - 1 - k];
      s.scores[k] += gain * direction * (sums[j] - mean[j]);
      s.products[j * r + k] = gain * value * direction;
    }
    s.squares[packed_at(k, k)] = noise / total + gain * gain * value;
  }
  for (std::size_t j = 0; j < d; ++j) {
    s.sums[j] = sums[j];
    for (std::size_t k = 0; k < r; ++k) {
      s.products[j * r + k] += mean[j] * s.scores[k];
      at.loadings[j * r + k] *= at.scale;
    }
    if (!context.holds("mean", 0)) at.mean[j] = at.shift[j] + at.scale * mean[j];
  }
  *at.noise = at.scale * at.scale * noise;
  return -0.5 * twice;
}

Parameters Ppca::start(const Plan& here, const Block& buffer, Random& random) const {
  constexpr std::size_t closed_form_columns = 1024;  // beyond, an eigenvalue problem takes seconds
  if (buffer.columns > closed_form_columns) return random_start(here, buffer, random);
  Parameters theta(here.parameters);
  calibrate(buffer, theta);
  Sums sums(observed(Schema::numbered(buffer.columns)));
  tally(theta, buffer, sums);
  Statistic S(here.statistic);
  solve(mean(sums), {.rows = sums.weight}, theta, S);
  // EM cannot leave loadings of 0: a factor that the first rows do not show starts small instead.
  const PpcaParameters<double> at(theta.data(), buffer.columns, r_);
  for (std::size_t k = 0; k < r_; ++k) {
    double squared = 0;
    for (std::size_t j = 0; j < buffer.columns; ++j)
      squared += at.loadings[j * r_ + k] * at.loadings[j * r_ + k];
    if (squared < 1e-4 * *at.noise) at.loadings[k * r_ + k] += 0.1 * std::sqrt(*at.noise);
  }
  return theta;
}

/// Random directions, turned by some iterations of EM towards those in which the rows vary most.
Parameters Ppca::random_start(const Plan& here, const Block& buffer, Random& random) const {
  constexpr int iterations = 10;
  Parameters theta(here.parameters);
  calibrate(buffer, theta);
  const PpcaParameters<double> at(theta.data(), buffer.columns, r_);
  std::normal_distribution<double> normal;
  for (std::size_t i = 0; i < buffer.columns * r_; ++i) at.loadings[i] = at.scale * normal(random);
  std::copy(at.shift, at.shift + buffer.columns, at.mean);
  *at.noise = at.scale * at.scale;
  const Ppca expanded({.rank = r_});
  for (int i = 0; i < iterations; ++i) {
    Sums sums(here.statistic);
    expect(expanded, theta, buffer, sums);
    maximise(expanded, thalweg::mean(sums), {.rows = sums.weight}, theta);
  }
  return theta;
}

void Ppca::align(Parameters& theta, Statistic& S) const {
  const std::size_t d = columns(theta);
  const std::size_t r = r_;
  const PpcaParameters<double> at(theta.data(), d, r);
  const PpcaStatistic<double> s(S.data(), d, r);
  std::vector<double> turn(r * r);  // new factor k is sum_i turn(i,k) times the old one i
  std::vector<double> squared(triangle(r));
  for (std::size_t j = 0; j < d; ++j)
    for (std::size_t k = 0; k < r; ++k)
      for (std::size_t i = 0; i <= k; ++i)
        squared[packed_at(k, i)] += at.loading_in_gauge(j * r + k) * at.loading_in_gauge(j * r + i);
  std::vector<double> values(r);
  std::vector<double> vectors(r * r);
  if (r == 1 || !kernels::symmetric_eigen(squared.data(), r, values.data(), vectors.data())) {
    for (std::size_t k = 0; k < r; ++k) turn[k * r + k] = 1;
  } else {
    for (std::size_t i = 0; i < r; ++i)
      for (std::size_t k = 0; k < r; ++k) turn[i * r + k] = vectors[i * r + r - 1 - k];
  }
  std::vector<double> old(r);
  const auto turn_row = [&](double* row) {
    std::copy(row, row + r, old.begin());
    for (std::size_t k = 0; k < r; ++k) {
      row[k] = 0;
      for (std::size_t i = 0; i < r; ++i) row[k] += old[i] * turn[i * r + k];
    }
  };
  for (std::size_t j = 0; j < d; ++j) turn_row(at.loadings + j * r);
  for (std::size_t k = 0; k < r; ++k)
    if (point_upwards(at.loadings, d, r, k))
      for (std::size_t i = 0; i < r; ++i) turn[i * r + k] = -turn[i * r + k];
  for (std::size_t j = 0; j < d; ++j) turn_row(s.products + j * r);
  turn_row(s.scores);
  std::vector<double> moments(r * r);
  for (std::size_t i = 0; i < r; ++i)
    for (std::size_t k = 0; k < r; ++k)
      moments[i * r + k] = s.squares[packed_at(std::max(i, k), std::min(i, k))];
  for (std::size_t i = 0; i < r; ++i) turn_row(moments.data() + i * r);  // E z z' T
  for (std::size_t k = 0; k < r; ++k)
    for (std::size_t l = 0; l <= k; ++l) {
      double product = 0;
      for (std::size_t i = 0; i < r; ++i) product += turn[i * r + k] * moments[i * r + l];
      s.squares[packed_at(k, l)] = product;
    }
}

}  // namespace thalweg
