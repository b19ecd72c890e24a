// Online EM for a stream: fill a buffer, find starts on it, race the best of them into the stream, keep the winner.
#pragma once

#include <thalweg/estimators/recursion.hpp>
#include <thalweg/estimators/spread_sample.hpp>
#include <thalweg/estimators/starts.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace thalweg {

struct OnlineOptions {
  Update update = Update::em;
  Schedule step = Schedule::power();
  std::optional<std::size_t> batch_size = {};  // m; default: about as many rows as free parameters
  std::optional<std::uint64_t> buffer = {};    // B; default: stream_buffer(); 0 needs begin(theta)
  std::optional<std::uint64_t> warmup =
      {};  // rows before the first M-step; default: 0, without a buffer max(20, 5 p)
  Averaging average = Averaging::automatic();
  std::optional<std::uint64_t> starts = {};  // default: 8, fewer where the budget does not last
  double start_budget =
      usual_start_budget;  // passes over the rows that the search may cost; infinity: as it likes
  bool at_once =
      false;  // the row that fills the buffer waits for the whole search; else rows after it pay for some each, which
              // changes no bit of what is learned in the end
  bool thorough =
      false;  // batch EM follows once expect() was told how many there are: starts on so many rows as that needs
  std::uint64_t racers = 3;
  std::uint64_t seed = 0;
  Regularisation regularisation = {};
  ThreadPool pool = {};
  std::optional<std::uint64_t> length = {};  // rows to come, where that is known
  std::function<bool()> stop = {};  // ends the search for starts: what follows has other bits then
  std::function<void(Parameters&)> impose = {};  // puts what is known of the start in its place
};

class THALWEG_API Online final : public Reporter {
 public:
  Online(const ModelHandle& model, Schema schema, OnlineOptions options = {});

  /// Starts from known parameters. The buffer, if there is one, still fills first: it calibrates the model's gauge and
  /// gives the statistic from which the recursion continues.
  void begin(Parameters theta);

  /// Goes on from the statistic of an earlier fit over `rows` rows: no buffer, no starts.
  void begin(Parameters theta, Statistic statistic, std::uint64_t rows);

  /// So many rows are to come, as options.length says it, and no others; once there are parameters it is too late.
  void expect(std::uint64_t length);

  /// Rows in any portion. A row outside the model's domain is a RowError and nothing of the block is learned.
  void learn(const Block& rows);

  /// The input is at its end: starts on what there is, learns what still waits for a full mini-batch. More rows may follow. Where
  /// averaging is automatic the scoring step is made, but before a `polish`, which has no use for it; it holds until more rows come.
  void finish(bool polish = false);

  void observe(Observer& observer);

  /// See Recursion::repeat.
  void repeat(double weight_of_a_pass);

  /// Starts were found, or given and the buffer is full.
  bool started() const { return !runs_.empty(); }
  /// Before that there is a coarse model of the first rows, found anew whenever there are twice as many. It depends on the rows and the seed
  /// alone, and what comes later does not depend on whether somebody asked for it. Whoever asks first finds it: one at a time.
  bool provisional() const { return !started() && early_rows() > 0; }
  bool has_model() const { return started() || provisional(); }
  std::uint64_t rows_until_model() const;
  std::uint64_t rows_until_start() const {  // … that fill the buffer; the search takes some more
    return started() || search_ ? 0 : full() - buffer_.rows();
  }

  Parameters reported() const override { return scored_ ? scored_->theta : run().reported(); }
  const Statistic& reported_statistic() const {
    return scored_ ? scored_->statistic : run().reported_statistic();
  }
  const Recursion& run() const;
  /// Those that came: learned, in the buffer, or waiting while starts are searched.
  std::uint64_t rows() const {
    return waiting() + (runs_.empty() ? first_rows().rows() : runs_.front().rows());
  }

  /// Rows that were all there was when the input ended, so that nothing of them was scored before it was learned; none where there were more.
  Block all_rows() const { return started() ? buffer_.block() : Block(); }

  /// What each run still in the race would report, in the order of the table of starts: candidates for polishing.
  std::vector<Parameters> candidates() const;

  /// The table of starts; empty when the parameters were given.
  std::vector<StartRecord> starts() const;

  const Plan& plan() const { return plan_; }
  const Regularisation& regularisation() const {
    return recursion_.regularisation;
  }  // settled once it has started
  std::size_t batch_size() const { return recursion_.batch_size; }
  std::uint64_t buffer_size() const { return buffer_size_; }

  Archive save() const;

  void load(const Archive& archive);

 private:
  void settle_buffer(std::uint64_t usual);

  /// What the number of free parameters and the length say of mini-batches and averaging.
  void settle_recursion();

  /// `auto`, where it means something else for this model and these options than poly:3 on the way and a step at the end.
  Averaging settled_average() const;

  void learn_part(const Block& block);

  /// What the search has taken over; where it goes over fewer rows than came they are still in the buffer.
  const Table& first_rows() const { return search_ && buffer_.empty() ? search_->rows() : buffer_; }

  /// Starts are searched, or rows that came meanwhile are not all learned.
  bool catches_up() const { return search_ || waiting() > 0; }
  std::uint64_t waiting() const { return waiting_.rows() - caught_up_; }

  /// The work that a row pays for, in E-steps of one row: the search ends when about as many rows have come as are in the buffer, and then
  /// those that waited are learned. Where that is not enough, the last of four times as many does the rest.
  double pace() const;
  double credit() const;

  void fill(const Block& block);
  void wait(const Block& block);
  void catch_up(double credit);
  void learn_started(const Block& block);

  /// Rows behind the provisional model that would be shown now; 0: none.
  std::size_t early_rows() const;
  std::uint64_t first_early_rows() const;
  const Recursion& early() const;
  Recursion find_early_run(const Block& rows) const;

  void load_waiting(const Archive& archive);
  void score();
  void load_scored(const Archive& archive);

  /// Rows with which the buffer is full: more than asked for where those that came are too few distinct ones to tell the parameters.
  std::uint64_t full() const;
  bool full_of_copies() const;
  /// No more than a handful, and too few to tell the parameters.
  bool few_distinct(const Block& rows) const;
  static constexpr std::uint64_t most_buffers = 8;  // then starts are found on what there is

  static constexpr std::uint64_t most_reserved = std::uint64_t{256} << 20U;  // bytes

  /// What the first rows start: a run from what was given, or a search.
  void launch();
  void launch_given(const Block& rows);
  void launch_found();

  StartOptions search_options(double rows) const;

  void add_run(Parameters theta, Statistic statistic, std::uint64_t rows);

  /// During the race observers follow the first run; the winner takes its place.
  void watch_first();

  void learn_all(const Block& block);

  void finish_race();

  static void mark(StartRecord& record, const Recursion& run);

  /// The leader: highest mean progressive log-likelihood, in doubt the one that started better. A mean, because a run
  /// that left batches out has a sum over fewer rows.
  std::size_t best() const;

  void tell_buffered(std::size_t rows);

  std::shared_ptr<const Model> model_;
  Schema schema_;
  OnlineOptions options_;
  Plan plan_;
  Admission border_;
  RecursionOptions recursion_;
  std::uint64_t buffer_size_ = 0;
  std::uint64_t race_rows_ = 0;
  std::uint64_t raced_ = 0;
  std::uint64_t offered_ = 0;  // rows that came to `learn`
  Table buffer_;
  std::optional<StartSearch> search_;  // has the buffer
  Table waiting_;                      // rows that came while starts were searched
  std::size_t caught_up_ = 0;          // … of them learned
  std::shared_ptr<bool> hurries_ =
      std::make_shared<bool>(false);  // what is left of the search is done now: it may be stopped
  std::uint64_t paying_ = 0;          // rows that came since the buffer was full
  double work_ = 0;                   // that they paid for, once the search is over
  std::optional<Parameters> given_;
  mutable std::optional<Recursion> early_;  // the last that was asked for
  std::vector<Recursion> runs_;             // the race; one run when it is over
  std::vector<StartRecord> records_;
  std::optional<SpreadSample> sample_;  // for the scoring step
  std::optional<Scored> scored_;        // by `finish`
  std::vector<Observer*> observers_;
};

}  // namespace thalweg
