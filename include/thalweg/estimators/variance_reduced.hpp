// Variance-reduced EM (Chen, Zhu, Teh & Zhang 2018): small steps whose noise vanishes with the distance from an anchor,
// S += g (s_b(theta) - s_b(anchor) + S(anchor) - S), theta = theta-bar(S): many EM steps for two passes over the rows.
#pragma once

#include <thalweg/core/any_model.hpp>
#include <thalweg/core/archive.hpp>
#include <thalweg/core/terms.hpp>
#include <thalweg/estimators/expectation.hpp>
#include <thalweg/estimators/iterative.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace thalweg {

struct VarianceReducedOptions {
  std::optional<std::size_t> batch_size = {};  // rows a mini-batch; default: see batch_size()
  std::optional<double> rate = {};       // g, in (0, 1]: does not grow; default: found on the way
  double tolerance = 1e-8;               // nat a row that may be left to gain
  std::uint64_t max_iterations = 10000;  // epochs
  std::uint64_t seed = 0;                // of the order of rows
  Terms terms = {};
};

/// An epoch is a sweep, the E-step of all rows at the anchor, which also keeps the statistic of every mini-batch there, and a pass
/// of steps. What a pass gains hangs on g times the number of mini-batches, some fifty EM steps for a hundred of them at g = ½: g
/// grows by a fifth after each epoch that raised the likelihood; one that lowered it is undone and g halved (as g goes to 0 what
/// is left is one EM step). A mini-batch has a hundredth of the rows, but at least one for each free parameter: smaller ones lead
/// astray. They are drawn once at random, so that sorted rows do no harm. The same Block must be given to every call.
template <Model M = AnyModel>
class VarianceReduced final : public Iterative {
 public:
  VarianceReduced(std::shared_ptr<const M> model, const Schema& schema,
                  VarianceReducedOptions options = {})
      : Iterative(model->plan(schema), StopRule(options.tolerance, 2)),
        model_(std::move(model)),
        options_(std::move(options)),
        anchor_(plan_.parameters),
        moving_(plan_.statistic),
        now_(plan_.statistic),
        rate_(options_.rate.value_or(first_rate)) {
    if (options_.batch_size && *options_.batch_size == 0)
      throw UsageError("a mini-batch needs at least one row");
    if (!(rate_ > 0 && rate_ <= 1))
      throw UsageError("the rate of variance-reduced EM is not in (0, 1]");
  }
  template <std::same_as<M> Concrete>  // in this form Clang 14 too deduces M by the guide below
    requires(!std::is_abstract_v<Concrete>)
  VarianceReduced(const Concrete& model, const Schema& schema, VarianceReducedOptions options = {})
      : VarianceReduced(std::make_shared<const Concrete>(model), schema, std::move(options)) {}

  void begin(const Parameters& theta) { theta_ = theta; }

  /// A sweep at parameters() and, unless that was enough, a pass of steps from the better of them and the last anchor. True when
  /// it is done: then log_likelihood() belongs to parameters() exactly.
  bool iterate(const Block& rows) {
    const bool risen = sweep(rows);
    if (!risen) rate_ /= 2;
    const bool done = converged_ || epochs_ >= options_.max_iterations;
    if (done) {
      theta_ = anchor_;
    } else {
      pass(rows);
      ++epochs_;
    }
    tell({.number = epochs_,
          .rows = passes_ * rows.rows,
          .batch_rows = rows.rows,
          .batch_weight = weight_,
          .rate = rate_,
          .log_likelihood = log_likelihood_});
    return done;
  }

  /// A sweep alone: for a run that is ended early, so that log_likelihood() belongs to parameters().
  void evaluate(const Block& rows) {
    sweep(rows);
    theta_ = anchor_;
  }

  void run(const Block& rows) {
    while (!iterate(rows)) {
    }
  }

  std::uint64_t iterations() const { return epochs_; }
  std::uint64_t passes() const { return passes_; }  // E-steps that each row had
  double rate() const { return rate_; }
  std::size_t batch_size(std::size_t rows) const {
    const std::size_t m = std::max((rows + 99) / 100, plan_.free_parameters);
    return options_.batch_size.value_or(std::max<std::size_t>(std::min(m, rows), 1));
  }

  Archive save() const {
    Archive archive = saved({log_likelihood_, objective_, weight_, rate_}, {epochs_, passes_});
    archive.put("anchor", anchor_);
    archive.put("kept", kept_);
    return archive;
  }

  void load(const Archive& archive) {
    if (archive.numbers("kept").size() % now_.size() != 0)
      throw Error("saved variance-reduced EM is damaged");
    restore(archive, "variance-reduced EM", {&log_likelihood_, &objective_, &weight_, &rate_},
            {&epochs_, &passes_});
    archive.get("anchor", anchor_);
    kept_ = archive.numbers("kept");
  }

 private:
  static constexpr double first_rate = 0.5;
  static constexpr double growth = 1.2;

  std::size_t batches(const Block& rows) const {
    const std::size_t m = batch_size(rows.rows);
    return (rows.rows + m - 1) / m;
  }

  /// A copy in the order drawn: gathered anew for every visit, rows would cost more than their E-step.
  void shuffle(const Block& rows) {
    if (mixed_.rows() == rows.rows) return;
    mixed_ = Table(rows.columns);
    for (const std::size_t t : shuffled(rows.rows, Random(options_.seed, 0, 3)))
      mixed_.append(rows.slice(t, 1));
  }

  /// The rows of mini-batch b.
  Block drawn(std::size_t b) const {
    const Block rows = mixed_.block();
    const std::size_t m = batch_size(rows.rows);
    return rows.slice(b * m, std::min(m, rows.rows - b * m));
  }

  static std::vector<std::size_t> shuffled(std::size_t count, Random random) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.index(i)]);
    return order;
  }

  /// The E-step of all rows at theta, mini-batch by mini-batch. theta is the next anchor if the objective is not lower there.
  bool sweep(const Block& rows) {
    shuffle(rows);
    const std::size_t size = now_.size();
    const std::size_t count = batches(rows);
    if (!kept_.empty() && kept_.size() != count * size)
      throw Error("saved variance-reduced EM is damaged, or belongs to other rows");
    std::vector<double> fresh(count * size);
    std::vector<double> scores(count);
    std::vector<double> weights(count);
    options_.terms.crew.run(count, [&](std::size_t b) {
      Sums sums(plan_.statistic);
      std::vector<Sums> parts;
      expect_in_slices(*model_, theta_, drawn(b), nullptr, sums, parts, scores[b]);
      std::copy_n(sums.data(), size, fresh.data() + b * size);
      weights[b] = sums.weight;
    });
    ++passes_;
    const double log_likelihood = std::accumulate(scores.begin(), scores.end(), 0.0);
    const double objective = log_likelihood + log_prior(*model_, options_.terms, theta_);
    const bool first = kept_.empty();
    const double weight = std::accumulate(weights.begin(), weights.end(), 0.0);
    const bool risen = first || objective >= objective_ - rounding(objective_);
    // A small loss is told too, but no larger one: an epoch that failed says nothing about the maximum.
    if (risen || objective_ - objective < options_.tolerance * weight)
      converged_ = rule_.tell((first ? objective : std::max(objective, objective_)) / weight,
                              first ? 0.0 : change(*model_, anchor_, theta_));
    if (!risen) return false;
    if (!first && !options_.rate) rate_ = std::min(1.0, growth * rate_);
    kept_ = std::move(fresh);
    weight_ = weight;
    log_likelihood_ = log_likelihood;
    objective_ = objective;
    anchor_ = theta_;
    std::fill_n(statistic_.data(), size, 0.0);
    for (std::size_t i = 0; i < kept_.size(); ++i)
      statistic_.data()[i % size] += kept_[i] / weight_;
    statistic_.weight = weight_;
    return true;
  }

  /// Every mini-batch once, in an order of its own. The first step is EM's: there theta is still the anchor.
  void pass(const Block& rows) {
    const Context context = options_.terms.context(weight_, &events_);
    const std::size_t count = batches(rows);
    const double scale = static_cast<double>(count) / weight_;
    theta_ = anchor_;
    moving_ = statistic_;
    for (const std::size_t b : shuffled(count, Random(options_.seed, epochs_, 4))) {
      now_.clear();
      double score = 0;
      expect_in_slices(*model_, theta_, drawn(b), &options_.terms.crew, now_, parts_, score);
      const double* kept = kept_.data() + b * now_.size();
      for (std::size_t i = 0; i < now_.size(); ++i)
        now_.data()[i] = scale * (now_.data()[i] - kept[i]) + statistic_.data()[i];
      if (!now_.finite()) {
        events_.count(Event::batch_left_out);
        continue;
      }
      if (move()) maximise(*model_, moving_, context, theta_);
    }
    ++passes_;
  }

  /// S += g (target - S). Differences may lead out of the domain: then by less. False where nothing helps.
  bool move() {
    constexpr int most_halvings = 20;
    double g = rate_;
    for (int halvings = 0; halvings <= most_halvings; ++halvings, g /= 2) {
      Statistic next = moving_;
      for (std::size_t i = 0; i < next.size(); ++i)
        next.data()[i] += g * (now_.data()[i] - next.data()[i]);
      if (halvings == 1) events_.count(Event::step_shrunk);
      if (!valid(*model_, theta_, next)) continue;
      moving_ = std::move(next);
      return true;
    }
    return false;
  }

  static double rounding(double value) { return 1e-14 * std::abs(value); }

  std::shared_ptr<const M> model_;
  VarianceReducedOptions options_;
  Parameters anchor_;         // where statistic_, log_likelihood_ and objective_ were taken
  Statistic moving_;          // S of the steps
  Sums now_;                  // of one mini-batch
  std::vector<double> kept_;  // of all mini-batches at the anchor
  Table mixed_;               // the rows; their order follows from the seed
  double weight_ = 0;
  std::uint64_t epochs_ = 0;
  std::uint64_t passes_ = 0;
  double rate_;
  std::vector<Sums> parts_;  // scratch paper
};

template <Model Concrete>
VarianceReduced(const Concrete&, const Schema&, VarianceReducedOptions = {})
    -> VarianceReduced<Concrete>;

extern template class THALWEG_API VarianceReduced<AnyModel>;

}  // namespace thalweg
