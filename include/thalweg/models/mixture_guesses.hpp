// First guesses of a mixture: seeds give hard responsibilities, these a statistic, and that parameters.
#pragma once

#include <thalweg/core/capabilities.hpp>
#include <thalweg/core/schedule.hpp>
#include <thalweg/models/seeding.hpp>

#include <cstddef>
#include <vector>

namespace thalweg {

template <class M>
class MixtureGuesses final : public Guesses {
 public:
  MixtureGuesses(const M& mixture, const Plan& plan, const Block& rows)
      : mixture_(mixture),
        plan_(plan),
        rows_(rows),
        gauged_(gauged(mixture, plan, rows)),
        seeds_(rows, embedded(mixture.family(), mixture.extent(gauged_), rows)) {}

  Parameters draw(Random& random) const override {
    const std::size_t K = mixture_.components();
    Sums sums = of_clusters(seeds_.clusters(K, random));
    mix_in_the_whole(sums, random);
    Parameters theta = gauged_;
    maximise(mixture_, mean(sums), {.rows = sums.weight}, theta);
    return theta;
  }

 private:
  static Parameters gauged(const M& mixture, const Plan& plan, const Block& rows) {
    Parameters theta(plan.parameters);
    mixture.calibrate(rows, theta);
    return theta;
  }

  Sums of_clusters(const std::vector<std::size_t>& cluster) const {
    const std::size_t K = mixture_.components();
    const std::size_t D = mixture_.width(gauged_);
    std::vector<double> of(K * D);  // K × D: what a row adds lies side by side
    std::vector<double> s(D);
    for (std::size_t t = 0; t < rows_.rows; ++t) {
      mixture_.features(gauged_, rows_.row(t), s.data());
      double* into = of.data() + cluster[t] * D;
      for (std::size_t j = 0; j < D; ++j) into[j] += rows_.weight(t) * s[j];
    }
    Sums sums(plan_.statistic);
    for (std::size_t k = 0; k < K; ++k)
      for (std::size_t j = 0; j < D; ++j) sums.data()[j * K + k] = of[k * D + j];
    sums.weight = rows_.total_weight();
    return sums;
  }

  /// A little of the whole in every cluster: EM cannot leave the edge of the domain, where a cluster of zeros would start. Few
  /// components end at other places where they begin with nearly all of it. A seed that owns no row starts as a rare copy of the whole.
  void mix_in_the_whole(Sums& sums, Random& random) const {
    const std::size_t K = mixture_.components();
    const std::size_t D = mixture_.width(gauged_);
    std::vector<double> whole(D);
    for (std::size_t j = 0; j < D; ++j)
      for (std::size_t k = 0; k < K; ++k) whole[j] += sums.data()[j * K + k];
    for (std::size_t k = 0; k < K; ++k)
      if (!(sums.data()[k] > 0))
        for (std::size_t j = 0; j < D; ++j) sums.data()[j * K + k] = 1e-3 * whole[j];
    const double of_whole = K < few_components && random.index(4) == 0 ? 0.9 : 0.02;
    for (std::size_t k = 0; k < K; ++k)
      for (std::size_t j = D; j-- > 0;) {
        double& entry = sums.data()[j * K + k];
        entry += of_whole * (sums.data()[k] * whole[j] / whole[0] - entry);
      }
  }

  const M& mixture_;
  Plan plan_;
  Block rows_;
  Parameters gauged_;  // its constants alone
  Seeds seeds_;
};

}  // namespace thalweg
