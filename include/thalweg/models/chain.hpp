// Hidden Markov models over any family: a chain of states in place of a mixture's independent components.
#pragma once

#include <thalweg/core/capabilities.hpp>
#include <thalweg/core/family.hpp>
#include <thalweg/data/slices.hpp>
#include <thalweg/kernels/tile.hpp>
#include <thalweg/models/forward_backward.hpp>
#include <thalweg/models/linear_form.hpp>
#include <thalweg/models/mixture.hpp>
#include <thalweg/models/tiles.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace thalweg {

/// theta: start (K), transition (K × K), the family's parameters. S: start, transition (pairs of states that follow each other), and
/// the family's D × K matrix, row 0 the occupancy E[1{X=k}]; all of them means over rows. A sequence counts as often as the weight
/// of its rows says, which must be the same for all; a row of weight 0 is a time step whose observation is not known.
template <Family F>
class Chain final : public Model, public Gauge, public Conjugate, public Bounded {
 public:
  Chain(F family, std::size_t states) : family_(std::move(family)), K_(states) {
    if (states == 0)
      throw UsageError("a chain needs at least one state (" + option("components") + ")");
  }

  Plan plan(const Schema& schema) const override {
    const Extent e{K_, schema.width()};
    const std::vector<Axis> both = {Axis::component, Axis::component};
    std::vector<Piece> statistic = {{.name = "start", .shape = {K_}, .axes = {Axis::component}},
                                    {.name = "transition", .shape = {K_, K_}, .axes = both},
                                    {.name = "occupancy",
                                     .shape = {K_},
                                     .axes = {Axis::component},
                                     .meaning = Meaning::probability}};
    for (const auto& [name, count] : family_.statistics(e))
      statistic.push_back(
          {.name = name, .shape = {count, K_}, .axes = {Axis::other, Axis::component}});
    std::vector<Piece> parameters = {{.name = "start",
                                      .shape = {K_},
                                      .axes = {Axis::component},
                                      .meaning = Meaning::probability,
                                      .domain = Domain::simplex},
                                     {.name = "transition",
                                      .shape = {K_, K_},
                                      .axes = both,
                                      .meaning = Meaning::probability,
                                      .domain = Domain::distributions}};
    for (Piece& piece : family_.parameters(e)) parameters.push_back(std::move(piece));
    std::size_t free = 0;
    for (const Piece& piece : parameters) free += piece.free_entries();
    Plan here{std::move(statistic), std::move(parameters), free, std::max<std::size_t>(K_, 2)};
    here.unit = Unit::sequence;
    return here;
  }

  void calibrate(const Block& buffer, Parameters& theta) const override {
    const bool known = std::any_of(theta.data(), theta.data() + K_, [](double p) { return p > 0; });
    family_.calibrate(buffer, extent(theta), known ? theta.data() : nullptr, emission(theta));
  }

  /// A mixture's start, and a chain that forgets at once: one iteration of EM teaches it which states follow each other.
  Parameters start(const Plan& here, const Block& buffer, Random& random) const override {
    const Mixture<F> mixture(family_, K_);
    const Parameters rows =
        mixture.start(mixture.plan(Schema::numbered(buffer.columns)), buffer, random);
    Parameters theta(here.parameters);
    for (std::size_t i = 0; i <= K_; ++i) std::copy_n(rows.data(), K_, theta.data() + i * K_);
    std::copy(rows.data() + K_, rows.data() + rows.size(), emission(theta));
    return theta;
  }

  std::unique_ptr<const Prepared> prepare(const Parameters& theta) const override {
    return std::make_unique<const Smoother>(*this, theta);
  }

  /// The state before the row is carry.state[0]; a sequence begins where there is none.
  void draw(const Parameters& theta, const Block& /*given*/, Carry& carry, Random& random,
            double* row) const override {
    const double* p = carry.state.empty()
                          ? theta.data()
                          : theta.data() + K_ + static_cast<std::size_t>(carry.state[0]) * K_;
    double u = random.uniform();
    std::size_t k = 0;
    while (k + 1 < K_ && u >= p[k]) u -= p[k++];
    carry.state.assign(1, static_cast<double>(k));
    family_.draw(theta.data() + head(), extent(theta), k, random, row);
  }

  void check(const Schema& schema, const Block& block) const override {
    check_cells(family_, schema, block);
  }

  void regauge(const Parameters& from, const Parameters& to, Statistic& S) const override {
    family_.regauge(from.data() + head(), to.data() + head(), extent(from), S.data() + head());
  }

  /// As many sequences of one row and as many pairs of states as the prior has rows, all states alike.
  Statistic prior(const Block& buffer, const Parameters& theta) const override {
    const Extent e = extent(theta);
    Statistic S_0(plan(Schema::numbered(e.d)).statistic);
    const double share = 1 / static_cast<double>(K_);
    std::fill_n(S_0.data(), K_, share);
    std::fill_n(S_0.data() + K_, K_ * K_, share * share);
    std::vector<double> whole(family_.width(e));
    family_.prior_features(buffer, theta.data() + head(), e, whole.data());
    for (std::size_t j = 0; j < whole.size(); ++j)
      std::fill_n(S_0.data() + head() + j * K_, K_, whole[j] * share);
    return S_0;
  }

  double score(const Parameters& theta, const Statistic& S) const override {
    const Extent e = extent(theta);
    double sum = 0;
    for (std::size_t i = 0; i < head(); ++i)
      sum += S.data()[i] * std::log(std::max(theta.data()[i], mixture_limits::smallest_weight));
    std::vector<double> psi(family_.width(e));
    for (std::size_t k = 0; k < K_; ++k) {
      family_.natural(theta.data() + head(), e, k, psi.data(), 1);
      for (std::size_t j = 0; j < psi.size(); ++j) sum += psi[j] * S.data()[head() + j * K_ + k];
    }
    return sum;
  }

  bool valid(const Parameters& theta, const Statistic& S) const override {
    const double* shares_end = S.data() + head() + K_;
    return std::all_of(S.data(), shares_end, [](double share) { return share >= 0; }) &&
           family_.valid(theta.data() + head(), S.data() + head(), extent(theta),
                         mixture_limits::empty_weight);
  }

 private:
  using Form = FormOf<F>;

  /// The E-step at one theta: forward and backward between the two products of a form.
  class Smoother final : public Prepared {
   public:
    Smoother(const Chain& chain, const Parameters& theta)
        : chain_(chain),
          theta_(theta),
          form_(chain.family_, theta.data() + chain.head(), chain.extent(theta)) {}

    double expect(const Block& block, Sums& sums, Work& work) const override {
      const Seen seen = look(block, sums.data());
      double log_likelihood = 0;
      for (std::size_t t = 0; t < block.rows; ++t) {
        const double w = block.weight(t);
        sums.weight += w;
        log_likelihood += w * seen.log_density[t];
      }
      if (work.log_density) std::ranges::copy(seen.log_density, work.log_density);
      accumulate_rows(form_, block, chain_.K_, seen.posterior.data(), sums.data() + chain_.head());
      return log_likelihood;
    }

    void explain(const Block& block, Explanation& out) const override {
      std::vector<double> pairs(chain_.head());  // nobody asks for them
      Seen seen = look(block, pairs.data());
      out.classes = chain_.K_;
      out.log_density = std::move(seen.log_density);
      out.posterior = std::move(seen.posterior);
    }

   private:
    struct Seen {
      std::vector<double> posterior;    // rows × K
      std::vector<double> log_density;  // of each row, given those before it in its sequence
    };

    /// All sequences of the block; starts and pairs (K and K × K) gain what is expected of them.
    Seen look(const Block& block, double* starts_and_pairs) const {
      const std::size_t K = chain_.K_;
      Seen seen{std::vector<double>(block.rows * K), std::vector<double>(block.rows)};
      score(block, seen.posterior);
      ForwardBackward path(theta_.data(), theta_.data() + K, K);
      const Units sequences(block, Unit::sequence);
      for (std::size_t i = 0; i < sequences.size(); ++i) {
        const Block sequence = sequences[i];
        const std::size_t begin = sequences.begin(i);
        double* posterior = seen.posterior.data() + begin * K;
        double* log_density = seen.log_density.data() + begin;
        double weight = 0;
        for (std::size_t t = 0; t < sequence.rows; ++t)
          weight = std::max(weight, sequence.weight(t));
        path.smooth(sequence.rows, weight, posterior, log_density, starts_and_pairs + K);
        for (std::size_t k = 0; k < K; ++k) starts_and_pairs[k] += weight * posterior[k];
        for (std::size_t t = 0; t < sequence.rows; ++t)
          log_density[t] =
              sequence.weight(t) == 0
                  ? 0
                  : log_density[t] + chain_.family_.log_base(sequence.row(t), sequence.columns);
      }
      return seen;
    }

    /// log g_k(y_t), row by row; 0 where there is no observation.
    void score(const Block& block, std::vector<double>& scores) const {
      using kernels::tile_stride;
      const std::size_t K = chain_.K_;
      over_tiles(form_, block, K,
                 [&](std::size_t begin, std::size_t rows, double* workspace, double* tile) {
                   std::fill_n(tile, K * tile_stride, 0.0);
                   form_.score(workspace, rows, tile);
                   for (std::size_t t = 0; t < rows; ++t)
                     for (std::size_t k = 0; k < K; ++k)
                       scores[(begin + t) * K + k] =
                           block.weight(begin + t) == 0 ? 0 : tile[k * tile_stride + t];
                 });
    }

    const Chain& chain_;
    const Parameters& theta_;
    Form form_;
  };

  void m_step(const Statistic& S, const Context& context, Parameters& theta) const override {
    share_weights("start", S.data(), K_, context, theta.data());
    for (std::size_t i = 0; i < K_; ++i) {
      double* row = theta.data() + K_ + i * K_;
      const double* pairs = S.data() + K_ + i * K_;
      double left = 0;  // how often the state is left, or stayed in
      for (std::size_t j = 0; j < K_; ++j) left += pairs[j];
      if (context.holds("transition", i) || !(left > mixture_limits::empty_weight)) continue;
      for (std::size_t j = 0; j < K_; ++j)
        row[j] = std::max(pairs[j] / left, mixture_limits::smallest_weight);
    }
    maximise_emissions(family_, S.data() + head(), extent(theta), context, emission(theta));
  }

  /// Numbers of theta and of S before the family's part.
  std::size_t head() const { return K_ + K_ * K_; }
  double* emission(Parameters& theta) const { return theta.data() + head(); }
  Extent extent(const Parameters& theta) const { return {K_, theta.layout().extent(Axis::column)}; }

  F family_;
  std::size_t K_;
};

}  // namespace thalweg
