// Online EM for a stream: fill a buffer, find starts on it, race the best of them into the stream, keep the winner.
#pragma once

#include <thalweg/estimators/recursion.hpp>
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
  std::optional<std::uint64_t> buffer = {};    // B; default: max(1000, 15 p); 0 needs begin(theta)
  std::uint64_t warmup = 0;                    // rows before the first M-step
  Averaging average = {};
  std::optional<std::uint64_t> starts = {};  // default: 8, fewer where the budget does not last
  double start_budget =
      usual_start_budget;  // passes over the rows that the search may cost; infinity: as it likes
  bool thorough = false;   // they are looked for on more rows where that costs next to nothing
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

  /// So many rows are to come, as options.length says it; once there are parameters it is too late.
  void expect(std::uint64_t length);

  /// Rows in any portion. A row outside the model's domain is a RowError and nothing of the block is learned.
  void learn(const Block& rows);

  /// The input is at its end: starts on what there is, learns what still waits for a full mini-batch. More rows may follow.
  void finish();

  void observe(Observer& observer);

  /// See Recursion::repeat.
  void repeat(double weight_of_a_pass);

  bool started() const { return !runs_.empty(); }
  std::uint64_t rows_until_start() const {
    return started() || buffer_.rows() > full() ? 0 : full() - buffer_.rows();
  }

  Parameters reported() const override { return run().reported(); }
  const Recursion& run() const;
  std::uint64_t rows() const { return runs_.empty() ? buffer_.rows() : runs_.front().rows(); }

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
  /// What the number of free parameters and the length say of mini-batches and averaging.
  void settle_recursion();

  void learn_part(const Block& block);

  /// Rows with which the buffer is full: more than asked for where those that came are too few distinct ones to tell the parameters.
  std::uint64_t full() const;
  bool full_of_copies() const;
  static constexpr std::uint64_t most_buffers = 8;  // then starts are found on what there is

  static constexpr std::uint64_t most_reserved = std::uint64_t{256} << 20U;  // bytes

  void launch();

  std::vector<Start> look_for_starts(const Block& rows, const Regularisation& regularisation) const;

  void add_run(Parameters theta, Statistic statistic);

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
  std::optional<Parameters> given_;
  std::vector<Recursion> runs_;  // the race; one run when it is over
  std::vector<StartRecord> records_;
  std::vector<Observer*> observers_;
};

}  // namespace thalweg
