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
  subject.model->explain(subject.example.truth, rows, at_truth);
  subject.model->explain(other, rows, elsewhere);
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
        value += sign * (piece.domain == Domain::real ? 0.3 : 0.25 * value);
        if (piece.domain == Domain::simplex)  // the others make room
          for (std::size_t l = 0; l < piece.size(); ++l)
            if (l != i) other[piece.name][l] *= (1 - value) / (1 - truth[piece.name][i]);
        expect_truth_wins(subject, other, table.block(),
                          piece.name + " " + std::to_string(i) + " moved");
      }
    }
  }
}

void drawn_moments(const Trial& trial) {
  const Subject& subject = trial.subject;
  const Known& formula = known_of(subject);
  const Parameters& truth = subject.example.truth;
  const Table table = subject.draw(200'000, 82);
  const auto n = static_cast<double>(table.rows());
  for (std::size_t j = 0; j < subject.columns(); ++j) {
    double mean = 0;
    double square = 0;
    for (std::size_t k = 0; k < subject.components(); ++k) {
      const double m = formula.mean(truth, k, j);
      mean += truth["weights"][k] * m;
      square += truth["weights"][k] * (formula.variance(truth, k, j) + m * m);
    }
    const double variance = square - mean * mean;
    double first = 0;
    double second = 0;
    double fourth = 0;
    for (std::size_t t = 0; t < table.rows(); ++t) {
      const double delta = table.block().row(t)[j] - mean;
      first += delta / n;
      second += delta * delta / n;
      fourth += std::pow(delta, 4) / n;
    }
    EXPECT_LT(std::abs(first), 5 * std::sqrt(variance / n)) << "mean of column " << j;
    EXPECT_LT(std::abs(second - variance), 5 * std::sqrt((fourth - second * second) / n))
        << "variance of column " << j;
  }
}

}  // namespace laws
