// Incremental EM (Neal & Hinton 1998): every block of rows keeps its share of the statistic, and each visit replaces it:
// total += s_b(theta) - kept_b, theta = theta-bar(total / weight). M-steps come as often as in online EM, yet it converges.
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
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace thalweg {

struct IncrementalOptions {
  std::optional<std::size_t> batch_size = {};  // rows a block; default: see incremental_block
  std::optional<std::uint64_t> warmup = {};    // rows before the first M-step; default: all
  double tolerance = 1e-8;                     // nat a row that may be left to gain
  std::uint64_t max_iterations = 10000;        // passes
  Terms terms = {};
};

/// As many rows as free parameters, but at least a hundred blocks: more of them gain little, and each costs an M-step.
inline std::size_t incremental_block(std::size_t free_parameters, std::size_t rows) {
  return std::clamp<std::size_t>(free_parameters, 1, std::max<std::size_t>(rows / 100, 1));
}

/// The same Block must be given to every call: what is kept belongs to its rows.
template <Model M = AnyModel>
class Incremental final : public Iterative {
 public:
  Incremental(std::shared_ptr<const M> model, const Schema& schema, IncrementalOptions options = {})
      : Iterative(model->plan(schema), StopRule(options.tolerance)),
        model_(std::move(model)),
        options_(std::move(options)),
        pass_began_at_(plan_.parameters),
        total_(plan_.statistic),
        fresh_(plan_.statistic),
        now_(plan_.statistic),
        before_(plan_.statistic) {
    if (options_.batch_size && *options_.batch_size == 0)
      throw UsageError("a block needs at least one row");
  }
  template <std::same_as<M> Concrete>  // in this form Clang 14 too deduces M by the guide below
    requires(!std::is_abstract_v<Concrete>)
  Incremental(const Concrete& model, const Schema& schema, IncrementalOptions options = {})
      : Incremental(std::make_shared<const Concrete>(model), schema, std::move(options)) {}

  void begin(const Parameters& theta) {
    theta_ = theta;
    pass_began_at_ = theta_;
  }

  /// One block: its E-step, its share of the total replaced, one M-step. True at the end of a pass.
  bool visit(const Block& rows) {
    if (rows_ == 0) make_room(rows);
    const std::size_t b = block_size(rows.rows);
    if (rows.rows != rows_ || next_ >= (rows_ + b - 1) / b) refuse_other_rows();
    const std::size_t first = next_ * b;
    const Block block = rows.slice(first, std::min(b, rows.rows - first));
    recall(block, first);
    const double log_likelihood = expect(block, first);
    for (std::size_t i = 0; i < now_.size(); ++i) {
      total_.data()[i] += now_.data()[i] - before_.data()[i];
      fresh_.data()[i] += now_.data()[i];
    }
    if (passes_ == 0) weight_ += block.total_weight();
    scored_ += log_likelihood;
    maximise_total(first + block.rows);
    ++next_;
    if (first + block.rows < rows.rows) return false;
    end_pass(rows);
    return true;
  }

  /// Goes on to the end of the pass. True when it is done: then a true E-step was made, and log_likelihood() belongs to
  /// parameters() exactly.
  bool iterate(const Block& rows) {
    while (passes_ < options_.max_iterations && !visit(rows)) {
    }
    const bool done = converged_ || passes_ >= options_.max_iterations;
    if (done) evaluate(rows);
    return done;
  }

  /// An E-step over all rows at parameters().
  void evaluate(const Block& rows) {
    const Expectation<M> e = expect_all(*model_, theta_, plan_, rows, options_.terms.crew);
    log_likelihood_ = e.log_likelihood();
    statistic_ = mean(e.sums());
    objective_ = log_likelihood_ + log_prior(*model_, options_.terms, theta_);
    ++evaluations_;
  }

  void run(const Block& rows) {
    while (!iterate(rows)) {
    }
  }

  std::uint64_t iterations() const { return passes_; }
  std::uint64_t passes() const { return passes_ + evaluations_; }  // E-steps that each row had
  std::size_t block_size(std::size_t rows) const {
    return options_.batch_size.value_or(incremental_block(plan_.free_parameters, rows));
  }

  /// Bytes for what the blocks keep.
  std::uint64_t memory() const { return kept_.size() * sizeof(double); }

  Archive save() const {
    Archive archive = saved({weight_, scored_, log_likelihood_, objective_},
                            {passes_, next_, rows_, classes_, evaluations_});
    archive.put("pass_began_at", pass_began_at_);
    archive.put("total", values(total_));
    archive.put("fresh", values(fresh_));
    archive.put("kept", kept_);
    archive.put("block/rows", std::uint64_t{rows_ > 0 ? block_size(rows_) : 0});
    return archive;
  }

  void load(const Archive& archive) {
    restore(archive, "incremental EM", {&weight_, &scored_, &log_likelihood_, &objective_},
            {&passes_, &next_, &rows_, &classes_, &evaluations_});
    archive.get("pass_began_at", pass_began_at_);
    get(archive, "total", total_);
    get(archive, "fresh", fresh_);
    kept_ = archive.numbers("kept");
    const Archive block = archive.nested("block/");  // older states do not tell
    const std::uint64_t size = rows_ > 0 ? block_size(rows_) : 0;
    if (kept_.size() != (rows_ > 0 ? room(rows_) : 0) || rows_ > kept_.size() * block_size(rows_) ||
        classes_ > kept_.size() || (!block.empty() && block.count("rows") != size))
      throw Error("saved incremental EM is damaged, or had blocks of another size");
  }

 private:
  [[noreturn]] static void refuse_other_rows() {
    throw Error("saved incremental EM is damaged, or belongs to other rows");
  }

  /// Posteriors, rows × K, where they are fewer numbers than the blocks' statistics and the model can make the one of the other.
  std::size_t room(std::size_t rows) const {
    if (classes_ > 0) return rows * classes_;
    const std::size_t b = block_size(rows);
    return (rows + b - 1) / b * total_.size();
  }

  void make_room(const Block& rows) {
    rows_ = rows.rows;
    if (gathers(*model_)) {
      model_->explain(theta_, rows.slice(0, 1), seen_);
      const std::size_t statistics = room(rows.rows);
      if (rows.rows * seen_.classes < statistics) classes_ = seen_.classes;
    }
    kept_.assign(room(rows.rows), 0.0);
  }

  /// What the block keeps, as a statistic; nothing in the first pass.
  void recall(const Block& block, std::size_t first) {
    before_.clear();
    if (passes_ == 0) return;
    if (classes_ > 0)
      gather(*model_, theta_, block, kept_.data() + first * classes_, before_);
    else
      std::copy_n(kept_.data() + next_ * before_.size(), before_.size(), before_.data());
  }

  /// The block's statistic at theta, kept from now on. One that is not finite is left out: the block keeps what it had.
  double expect(const Block& block, std::size_t first) {
    now_.clear();
    double log_likelihood = 0;
    if (classes_ > 0) {
      model_->explain(theta_, block, seen_);
      if (seen_.classes != classes_) refuse_other_rows();
      for (std::size_t t = 0; t < block.rows; ++t)
        log_likelihood += block.weight(t) * seen_.log_density[t];
      gather(*model_, theta_, block, seen_.posterior.data(), now_);
    } else {
      expect_in_slices(*model_, theta_, block, &options_.terms.crew, now_, parts_, log_likelihood);
    }
    if (!std::isfinite(log_likelihood) || !now_.finite()) {
      events_.count(Event::batch_left_out);
      now_ = before_;
      return 0;
    }
    if (classes_ > 0)
      std::copy_n(seen_.posterior.data(), block.rows * classes_, kept_.data() + first * classes_);
    else
      std::copy_n(now_.data(), now_.size(), kept_.data() + next_ * now_.size());
    return log_likelihood;
  }

  /// S is the mean over the rows visited so far, from the second pass on over all. M-steps on a few rows would throw a good start
  /// away: by default the first one waits for the end of the first pass.
  void maximise_total(std::uint64_t visited) {
    if (!(weight_ > 0)) return;
    for (std::size_t i = 0; i < total_.size(); ++i)
      statistic_.data()[i] = total_.data()[i] / weight_;
    statistic_.weight = weight_;
    if (passes_ > 0 || visited > options_.warmup.value_or(rows_) || visited == rows_)
      maximise(*model_, statistic_, options_.terms.context(weight_, &events_), theta_);
  }

  /// The sum of all that is kept was gathered on the way: it replaces the total, whose differences leave rounding behind.
  void end_pass(const Block& rows) {
    std::copy_n(fresh_.data(), fresh_.size(), total_.data());
    fresh_.clear();
    next_ = 0;
    ++passes_;
    converged_ = rule_.tell(scored_ / weight_, change(*model_, pass_began_at_, theta_));
    pass_began_at_ = theta_;
    tell({.number = passes_,
          .rows = passes_ * rows.rows,
          .batch_rows = rows.rows,
          .batch_weight = weight_,
          .rate = 1,
          .log_likelihood = scored_});
    scored_ = 0;
  }

  static std::vector<double> values(const Sums& sums) {
    return {sums.values().begin(), sums.values().end()};
  }
  static void get(const Archive& archive, const std::string& name, Sums& sums) {
    const auto& numbers = archive.numbers(name);
    if (numbers.size() != sums.size()) throw Error("saved incremental EM is damaged");
    std::copy(numbers.begin(), numbers.end(), sums.data());
  }

  std::shared_ptr<const M> model_;
  IncrementalOptions options_;
  Parameters pass_began_at_;
  Sums total_;                 // what all blocks keep together
  Sums fresh_;                 // the same of the blocks visited in this pass
  Sums now_;                   // of one block
  Sums before_;                // … what it kept so far
  std::vector<double> kept_;   // block statistics, or posteriors (rows × classes)
  std::uint64_t classes_ = 0;  // K where posteriors are kept
  std::uint64_t next_ = 0;     // block
  std::uint64_t rows_ = 0;
  double weight_ = 0;  // of the rows visited at least once
  double scored_ = 0;  // this pass, each block before it was learned
  std::uint64_t passes_ = 0;
  std::uint64_t evaluations_ = 0;
  Explanation seen_;  // scratch paper
  std::vector<Sums> parts_;
};

template <Model Concrete>
Incremental(const Concrete&, const Schema&, IncrementalOptions = {}) -> Incremental<Concrete>;

extern template class THALWEG_API Incremental<AnyModel>;

}  // namespace thalweg
