// The two mixtures that the tests of this room run over, each with its textbook twin.
#pragma once

#include "core/change.hpp"
#include "samples.hpp"
#include "textbook.hpp"
#include <thalweg/core/border.hpp>
#include <thalweg/core/model.hpp>

#include <gtest/gtest.h>

namespace mixtures {

using namespace thalweg;
using samples::GaussianMixture;
using samples::PoissonMixture;

template <class M>
struct Twin;

template <>
struct Twin<PoissonMixture> {
  static PoissonMixture model() { return {Poisson{}, 3}; }
  static textbook::Theta truth() { return samples::three_poissons(); }
};

template <>
struct Twin<GaussianMixture> {
  static GaussianMixture model() { return {Gaussian{}, 3}; }
  static textbook::Theta truth() { return samples::three_gaussians(); }
};

using Both = ::testing::Types<PoissonMixture, GaussianMixture>;

/// A sample, its table, and parameters that are near the truth but not there.
template <class M>
class MixtureTest : public ::testing::Test {
 protected:
  static constexpr std::size_t n = 700;  // several tiles and a rest

  MixtureTest() {
    for (std::size_t t = 0; t < n; ++t)
      weighted_.weights.push_back(0.25 * static_cast<double>(t % 9));
    weighted_.rows = data_.rows;
  }

  M model_ = Twin<M>::model();
  Schema schema_ = Schema::numbered(2);
  Plan plan_ = model_.plan(schema_);
  textbook::Theta theta_ = samples::off(Twin<M>::truth());
  textbook::Data data_ = samples::draw(Twin<M>::truth(), n, 1);
  textbook::Data weighted_;
  Table table_ = samples::table(data_);
  Parameters parameters_ = samples::parameters(model_, theta_, table_.block());
};

/// theta-bar of the E-step over a block.
template <class M>
Parameters em_step(const M& model, const Parameters& theta, const Block& block,
                   Events* events = nullptr, double floor = 0) {
  Sums sums(model.plan(Schema::numbered(block.columns)).statistic);
  expect(model, theta, block, sums);
  Parameters next = theta;
  maximise(model, mean(sums), {.rows = sums.weight, .floor = floor, .events = events}, next);
  return next;
}

}  // namespace mixtures
