// What the tests of this room share: streams, feeding in cuts, states through bytes, equality of bits.
#pragma once

#include "samples.hpp"
#include "textbook_online.hpp"
#include <thalweg/estimators/online.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <sstream>

namespace runs {

using namespace thalweg;
using samples::GaussianMixture;
using samples::PoissonMixture;

inline const Schema& two_columns() {
  static const Schema schema = Schema::numbered(2);
  return schema;
}

/// A stream of three Gaussians in two columns, and a start that is off.
struct Stream {
  explicit Stream(std::size_t rows, unsigned seed = 1)
      : data(samples::draw(samples::three_gaussians(), rows, seed)), table(samples::table(data)) {}

  textbook::Data data;
  Table table;
  std::shared_ptr<const GaussianMixture> model =
      std::make_shared<const GaussianMixture>(Gaussian{}, 3);
  textbook::Theta start = samples::off(samples::three_gaussians());
  Parameters theta = samples::parameters(*model, start);
};

/// Rows begin … end-1 in blocks of `cut`.
template <class Estimator>
void feed(Estimator& estimator, const Block& rows, std::size_t cut, std::size_t begin,
          std::size_t end) {
  for (; begin < end; begin += cut) estimator.learn(rows.slice(begin, std::min(cut, end - begin)));
}

template <class Estimator>
void feed(Estimator& estimator, const Table& table, std::size_t cut) {
  feed(estimator, table.block(), cut, 0, table.rows());
}

/// Runs to the end; the likelihood rises all the way.
template <class Estimator>
void expect_ascent(Estimator& estimator, const Block& rows) {
  double last = -HUGE_VAL;
  while (!estimator.iterate(rows)) {
    EXPECT_GE(estimator.log_likelihood(), last - 1e-10);
    last = estimator.log_likelihood();
  }
}

inline bool same_bits(const Named& a, const Named& b) {
  const auto equal = [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  };
  return a.size() == b.size() &&
         std::equal(a.values().begin(), a.values().end(), b.values().begin(), equal);
}

inline std::string bytes(const Archive& archive) {
  std::ostringstream out;
  archive.write(out);
  return out.str();
}

/// Saved, written, read and loaded into another: all of the state goes through bytes.
template <class Estimator>
void move_state(const Estimator& from, Estimator& into) {
  std::istringstream in(bytes(from.save()));
  into.load(Archive::read(in));
}

/// The largest difference between a statistic of the textbook and one of a Poisson mixture.
inline double statistic_difference(const Statistic& S, const textbook::Statistic& slow) {
  const std::size_t K = slow.weight.size();
  const std::size_t d = slow.sums[0].size();
  textbook::Real largest = 0;
  for (std::size_t k = 0; k < K; ++k) {
    largest = std::max(largest, std::abs(S["weights"][k] - slow.weight[k]));
    for (std::size_t j = 0; j < d; ++j)
      largest = std::max(largest, std::abs(S["sums"][j * K + k] - slow.sums[k][j]));
  }
  return static_cast<double>(largest);
}

}  // namespace runs
