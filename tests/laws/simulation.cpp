// A model that simulates itself must believe what it drew.
#include "known.hpp"
#include "laws.hpp"

#include <cmath>

namespace laws {
namespace {

/// Mean and standard error of log f_truth(Y) - log f_other(Y).
void expect_truth_wins(const Subject& subject, const Parameters& other, const Block& rows,
                       const std::string& what) {
  Explanation at_truth;
  Explanation elsewhere;
  explain(*subject.model, subject.example.truth, rows, at_truth);
  explain(*subject.model, other, rows, elsewhere);
  const auto n = static_cast<double>(rows.rows);
  double sum = 0;
  double squares = 0;
  for (std::size_t t = 0; t < rows.rows; ++t) {
    const double gain = at_truth.log_density[t] - elsewhere.log_density[t];
    sum += gain;
    squares += gain * gain;
  }
  const double mean = sum / n;
  const double standard_error = std::sqrt((squares / n - mean * mean) / n);
  EXPECT_GT(mean, 2 * standard_error) << what;
}

/// A quarter of the variance, or of the geometric mean of two variances for the pair of their covariances.
void move_both(const Piece& piece, std::size_t i, double sign, Parameters& theta) {
  const std::size_t d = piece.shape.back();
  const std::size_t row = i / d % d;
  const std::size_t column = i % d;
  double* matrix = theta[piece.name].data() + i / (d * d) * (d * d);
  const double by = 0.25 * std::sqrt(matrix[row * d + row] * matrix[column * d + column]);
  matrix[row * d + column] += sign * by;
  if (row != column) matrix[column * d + row] += sign * by;
}

double mean_share(const Subject& subject, const Units& units, std::size_t k) {
  double sum = 0;
  double rows = 0;
  for (std::size_t u = 0; u < units.size(); ++u)
    for (std::size_t t = 0; t < units[u].rows; ++t, ++rows)
      sum += share(subject, subject.example.truth, k, t);
  return sum / rows;
}

}  // namespace

void truth_is_likely(const Trial& trial) {
  const Subject& subject = trial.subject;
  const Parameters& truth = subject.example.truth;
  const Table table = subject.draw(50'000, 81);
  expect_truth_wins(subject, subject.blurred({}), table.block(), "all parameters moved");
  for (const Piece& piece : subject.plan.parameters->pieces()) {
    if (piece.constant) continue;
    for (std::size_t i = 0; i < piece.size(); ++i) {
      for (const double sign : {-1.0, 1.0}) {
        Parameters other = truth;
        double& value = other[piece.name][i];
        if (piece.domain == Domain::covariance) {
          move_both(piece, i, sign, other);
        } else {
          const bool real = piece.domain == Domain::real || piece.domain == Domain::loadings;
          value += sign * (real ? 0.3 : 0.25 * value);
        }
        if (piece.domain == Domain::simplex || piece.domain == Domain::distributions) {
          const auto [first, size] = distribution_of(piece, i);  // the others make room
          for (std::size_t l = first; l < first + size; ++l)
            if (l != i) other[piece.name][l] *= (1 - value) / (1 - truth[piece.name][i]);
        }
        expect_truth_wins(subject, other, table.block(),
                          piece.name + " " + std::to_string(i) + " moved");
      }
    }
  }
}

/// First and second moments of the columns, pair by pair, from the components' own.
void drawn_moments(const Trial& trial) {
  const Subject& subject = trial.subject;
  const Known& formula = known_of(subject);
  const Parameters& truth = subject.example.truth;
  const std::size_t d = subject.columns();
  const Table table = subject.draw(200'000, 82);
  const auto n = static_cast<double>(table.rows());
  const Units units(table.block(), subject.plan.unit);
  std::vector<double> shares(subject.components());  // over all rows
  for (std::size_t k = 0; k < shares.size(); ++k) shares[k] = mean_share(subject, units, k);
  std::vector<double> mean(d);
  for (std::size_t j = 0; j < d; ++j)
    for (std::size_t k = 0; k < subject.components(); ++k)
      mean[j] += shares[k] * formula.mean(truth, k, j);
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double covariance = 0;
      for (std::size_t k = 0; k < subject.components(); ++k)
        covariance += shares[k] * (formula.covariance(truth, k, i, j) +
                                   (formula.mean(truth, k, i) - mean[i]) *
                                       (formula.mean(truth, k, j) - mean[j]));
      double first = 0;
      double product = 0;
      double first_variance = 0;  // units are independent, rows need not be
      double variance = 0;
      for (std::size_t u = 0; u < units.size(); ++u) {
        const Block unit = units[u];
        double own_first = 0;
        double own = 0;
        for (std::size_t t = 0; t < unit.rows; ++t) {
          const double delta = unit.row(t)[i] - mean[i];
          const double both = delta * (unit.row(t)[j] - mean[j]);
          own_first += delta / n;
          own += (both - covariance) / n;
        }
        first += own_first;
        first_variance += own_first * own_first;
        product += own;
        variance += own * own;
      }
      EXPECT_LT(std::abs(product), 5 * std::sqrt(variance)) << "columns " << i << " and " << j;
      if (i == j) {
        EXPECT_LT(std::abs(first), 5 * std::sqrt(first_variance)) << "mean of column " << j;
      }
    }
  }
}

}  // namespace laws
