// Online EM for a stream: fill a buffer, find starts on it, race the best of them into the stream, keep the winner.
#pragma once

#include <thalweg/estimators/recursion.hpp>
#include <thalweg/estimators/starts.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace thalweg {

struct OnlineOptions {
  Update update = Update::em;
  Schedule step = Schedule::power();
  std::optional<std::size_t> batch_size = {};  // m; default: about as many rows as free parameters
  std::optional<std::uint64_t> buffer = {};    // B; default: max(1000, 15 p); 0 needs begin(theta)
  std::uint64_t warmup = 0;                    // rows before the first M-step
  Averaging average = {};
  std::uint64_t starts = 8;
  std::uint64_t racers = 3;
  std::uint64_t seed = 0;
  Terms terms = {};
  std::optional<std::uint64_t> length = {};  // rows to come, where that is known
  std::function<bool()> stop = {};  // ends the search for starts: what follows has other bits then
  std::function<void(Parameters&)> impose = {};  // puts what is known of the start in its place
};

template <Model M = AnyModel>
class Online final : public Reporter {
 public:
  Online(std::shared_ptr<const M> model, Schema schema, OnlineOptions options = {})
      : model_(std::move(model)),
        schema_(std::move(schema)),
        options_(std::move(options)),
        plan_(model_->plan(schema_)),
        buffer_(schema_.width()) {
    const auto p = static_cast<std::uint64_t>(plan_.free_parameters);
    buffer_size_ = options_.buffer.value_or(default_buffer(plan_));
    race_rows_ = 4 * buffer_size_;
    const bool textbook = buffer_size_ == 0;
    // m about p, but at least 500 steps where the length is known.
    std::uint64_t m = std::max<std::uint64_t>(p, 1);
    if (options_.length)
      m = std::clamp<std::uint64_t>(m, 1, std::max<std::uint64_t>(*options_.length / 500, 1));
    recursion_ = {.update = options_.update,
                  .step = options_.step,
                  .batch_size = options_.batch_size.value_or(textbook ? 1 : m),
                  .warmup = options_.warmup,
                  .cautious = !textbook,
                  .average = options_.average.resolve(options_.length),
                  .terms = options_.terms};
    if (recursion_.batch_size == 0) throw UsageError("a mini-batch needs at least one row");
  }
  template <std::same_as<M> Concrete>  // in this form Clang 14 too deduces M by the guide below
    requires(!std::is_abstract_v<Concrete>)
  Online(const Concrete& model, Schema schema, OnlineOptions options = {})
      : Online(std::make_shared<const Concrete>(model), std::move(schema), std::move(options)) {}

  /// Starts from known parameters. The buffer, if there is one, still fills first: it calibrates the model's gauge and
  /// gives the statistic from which the recursion continues.
  void begin(Parameters theta) {
    given_ = std::move(theta);
    if (buffer_size_ == 0) launch();
  }

  /// Goes on from the statistic of an earlier fit over `rows` rows: no buffer, no starts.
  void begin(Parameters theta, Statistic statistic, std::uint64_t rows) {
    if (options_.terms.prior_strength > 0 || options_.terms.prior)
      throw UsageError("a prior is scaled by the first rows, which are long gone");
    runs_.emplace_back(model_, schema_, recursion_);
    runs_.back().begin(std::move(theta), std::move(statistic), rows);
    watch_first();
  }

  /// Rows in any portion. A row outside the model's domain is a RowError and nothing of the block is learned.
  void learn(const Block& block) {
    check(*model_, schema_, block);
    if (buffer_size_ == 0 && runs_.empty())
      throw UsageError("buffer 0 (textbook mode) needs starting parameters (--init)");
    for_rows_that_count(block, [this](const Block& part) { learn_part(part); });
  }

  /// The input is at its end: starts on what there is, learns what still waits for a full mini-batch. More rows may follow.
  void finish() {
    if (runs_.empty()) {
      require_rows(plan_, buffer_.rows());
      launch();
      if (given_) runs_.front().maximise_now();  // nothing will follow that could
    }
    for (Recursion<M>& run : runs_) run.finish();
  }

  void observe(Observer& observer) {
    observers_.push_back(&observer);
    if (!runs_.empty()) runs_.front().observe(observer);
  }

  /// See Recursion::repeat.
  void repeat(double weight_of_a_pass) {
    for (Recursion<M>& run : runs_) run.repeat(weight_of_a_pass);
  }

  bool started() const { return !runs_.empty(); }
  std::uint64_t rows_until_start() const { return started() ? 0 : buffer_size_ - buffer_.rows(); }

  Parameters reported() const override { return run().reported(); }
  const Recursion<M>& run() const {
    if (runs_.empty())
      throw Error("no parameters yet: " + std::to_string(rows_until_start()) +
                  " more rows fill the start buffer (or finish)");
    return runs_[best()];
  }
  std::uint64_t rows() const { return runs_.empty() ? buffer_.rows() : runs_.front().rows(); }

  /// What each run still in the race would report, in the order of the table of starts: candidates for polishing.
  std::vector<Parameters> candidates() const {
    std::vector<Parameters> all;
    for (const Recursion<M>& run : runs_) all.push_back(run.reported());
    return all;
  }

  /// The table of starts; empty when the parameters were given.
  std::vector<StartRecord> starts() const {
    std::vector<StartRecord> table = records_;
    for (std::size_t r = 0; r < std::min(runs_.size(), table.size()); ++r) mark(table[r], runs_[r]);
    if (!runs_.empty() && !table.empty()) table[best()].chosen = true;
    return table;
  }

  const Plan& plan() const { return plan_; }
  const Terms& terms() const { return recursion_.terms; }  // settled once it has started
  std::size_t batch_size() const { return recursion_.batch_size; }
  std::uint64_t buffer_size() const { return buffer_size_; }

  Archive save() const {
    Archive archive;
    archive.put("buffer", buffer_);
    archive.put("counts", std::vector<std::uint64_t>{runs_.size(), raced_, given_ ? 1U : 0U});
    if (given_) archive.put("given", *given_);
    for (std::size_t r = 0; r < runs_.size(); ++r)
      archive.put("run" + std::to_string(r) + "/", runs_[r].save());
    save_prior(recursion_.terms, archive);
    save_starts(records_, archive);
    return archive;
  }

  void load(const Archive& archive) {
    const auto& counts = archive.counts("counts");
    std::vector<StartRecord> records = load_starts(archive);
    if (counts.size() != 3 || counts[0] > options_.racers + 1 || counts[1] > race_rows_)
      throw Error("saved online fit is damaged");
    if (counts[0] > records.size() && (counts[0] > 1 || !records.empty()))
      throw Error("saved online fit has runs without a start");
    archive.get("buffer", buffer_);
    check(*model_, schema_, buffer_.block());
    if (buffer_.rows() > buffer_size_)
      throw Error("saved online fit is damaged, or had a larger buffer");
    raced_ = counts[1];
    given_.reset();
    if (counts[2] == 1) archive.get("given", given_.emplace(plan_.parameters));
    load_prior(archive, plan_, recursion_.terms);
    runs_.clear();
    for (std::size_t r = 0; r < counts[0]; ++r) {
      runs_.emplace_back(model_, schema_, recursion_);
      runs_.back().load(archive.nested("run" + std::to_string(r) + "/"));
    }
    records_ = std::move(records);
    watch_first();
  }

 private:
  void learn_part(const Block& block) {
    std::size_t taken = 0;
    if (runs_.empty()) {
      taken = std::min<std::size_t>(block.rows, buffer_size_ - buffer_.rows());
      if (buffer_.empty() && buffer_size_ * buffer_.bytes_a_row() <= most_reserved)
        buffer_.reserve(buffer_size_);
      buffer_.append(block.slice(0, taken));
      tell_buffered(taken);
      if (buffer_.rows() < buffer_size_) return;
      launch();
    }
    if (runs_.size() > 1) {  // the race ends after an exact number of rows, however they are cut
      const std::size_t part = std::min<std::size_t>(block.rows - taken, race_rows_ - raced_);
      learn_all(block.slice(taken, part));
      raced_ += part;
      taken += part;
      if (raced_ == race_rows_) finish_race();
    }
    if (taken < block.rows) learn_all(block.slice(taken, block.rows - taken));
  }

  static constexpr std::uint64_t most_reserved = std::uint64_t{256} << 20U;  // bytes

  void launch() {
    const Block rows = buffer_.block();
    if (!given_ && options_.impose) {
      const Terms terms = settle(*model_, options_.terms, plan_, rows, nullptr);
      given_ = look_for_starts(rows, terms).front().theta;
      options_.impose(*given_);
    }
    recursion_.terms = settle(*model_, options_.terms, plan_, rows, given_ ? &*given_ : nullptr);
    if (buffer_size_ == 0) {
      calibrate(*model_, rows, *given_);
      runs_.emplace_back(model_, schema_, recursion_);
      runs_.back().begin(*given_);
    } else if (given_) {
      calibrate(*model_, rows, *given_);
      const Expectation<M> e = expect_all(*model_, *given_, plan_, rows, options_.terms.crew);
      add_run(*given_, mean(e.sums()));
    } else {
      for (Start& start : look_for_starts(rows, recursion_.terms)) {
        records_.push_back(start.record);
        const bool races =
            runs_.empty() || (runs_.size() < options_.racers && !start.record.repeats);
        if (races) add_run(std::move(start.theta), std::move(start.statistic));
      }
    }
    buffer_ = Table(schema_.width());
    watch_first();
  }

  std::vector<Start> look_for_starts(const Block& rows, const Terms& terms) const {
    return find_starts(
        model_, schema_, rows,
        {.starts = options_.starts, .seed = options_.seed, .terms = terms, .stop = options_.stop});
  }

  void add_run(Parameters theta, Statistic statistic) {
    runs_.emplace_back(model_, schema_, recursion_);
    runs_.back().begin(std::move(theta), std::move(statistic), buffer_.rows());
  }

  /// During the race observers follow the first run; the winner takes its place.
  void watch_first() {
    if (runs_.empty()) return;
    for (Observer* observer : observers_) runs_.front().observe(*observer);
  }

  void learn_all(const Block& block) {
    for (Recursion<M>& run : runs_) run.learn(block);
  }

  void finish_race() {
    const std::size_t winner = best();
    for (std::size_t r = 0; r < runs_.size(); ++r) mark(records_[r], runs_[r]);
    if (winner != 0) {
      std::swap(runs_[0], runs_[winner]);
      std::swap(records_[0], records_[winner]);
    }
    runs_.erase(runs_.begin() + 1, runs_.end());
    runs_.front().forget_observers();
    watch_first();
  }

  static void mark(StartRecord& record, const Recursion<M>& run) {
    if (std::isnan(record.in_race) && run.progressive()) record.in_race = *run.progressive();
  }

  /// The leader: highest mean progressive log-likelihood, in doubt the one that started better. A mean, because a run
  /// that left batches out has a sum over fewer rows.
  std::size_t best() const {
    const auto score = [this](std::size_t r) { return runs_[r].progressive().value_or(-HUGE_VAL); };
    std::size_t leader = 0;
    for (std::size_t r = 1; r < runs_.size(); ++r)
      if (score(r) > score(leader)) leader = r;
    return leader;
  }

  void tell_buffered(std::size_t rows) {
    for (Observer* observer : observers_)
      observer->on({.phase = Phase::buffer, .rows = buffer_.rows(), .batch_rows = rows});
  }

  std::shared_ptr<const M> model_;
  Schema schema_;
  OnlineOptions options_;
  Plan plan_;
  RecursionOptions recursion_;
  std::uint64_t buffer_size_ = 0;
  std::uint64_t race_rows_ = 0;
  std::uint64_t raced_ = 0;
  Table buffer_;
  std::optional<Parameters> given_;
  std::vector<Recursion<M>> runs_;  // the race; one run when it is over
  std::vector<StartRecord> records_;
  std::vector<Observer*> observers_;
};

template <Model Concrete>
Online(const Concrete&, Schema, OnlineOptions = {}) -> Online<Concrete>;

extern template class THALWEG_API Online<AnyModel>;

}  // namespace thalweg
