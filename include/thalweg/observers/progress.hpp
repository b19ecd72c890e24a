// Progress on a terminal or in a log: a line at every power of two, and a live line with the time that is left.
#pragma once

#include <thalweg/core/step.hpp>
#include <thalweg/export.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>

namespace thalweg {

struct ProgressOptions {
  bool live = false;  // a line that is overwritten; for terminals
  std::function<std::optional<double>()>
      share_read;  // how much of the input is done, where that is known
  std::function<double(const Parameters&)> validate = {};  // mean log-likelihood of held-out rows
  std::function<int()> width = {};                         // columns of the terminal
  std::uint64_t every = 0;  // iterations of batch EM between two lines; 0: lines at powers of two
};

/// The table is progressive validation: every mini-batch is scored before it is learned, so the means are honest.
class THALWEG_API Progress final : public Observer {
 public:
  using Write = std::function<void(const std::string&)>;  // text that is to be seen now

  explicit Progress(std::FILE* out, ProgressOptions options = {});
  explicit Progress(Write write, ProgressOptions options = {});
  ~Progress() override;
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void on(const Step& step) override;

  /// Wipes the live line; the table ends.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  void table_row(const std::array<std::string, 7>& cells);
  int columns() const;
  std::string held_out(const Step& step) const;
  void begin_phase(const Step& step);
  void online_line(const Step& step);
  void batch_line(const Step& step);
  void live_line(const Step& step);
  void wipe();
  std::string speed(const Step& step) const;

  Write write_;
  ProgressOptions options_;
  Clock::time_point begun_ = Clock::now();
  Clock::time_point drawn_ = begun_;
  bool told_ = false;  // of any step
  std::uint64_t rows_before_phase_ = 0;
  std::uint64_t number_ = 0;     // of the last step
  std::uint64_t next_line_ = 1;  // rows, or iterations in the batch phase
  std::uint64_t steps_ = 0;
  Phase phase_ = Phase::buffer;
  double sum_ = 0;  // log-likelihood so far
  double weight_ = 0;
  double line_sum_ = 0;  // … since the last line
  double line_weight_ = 0;
  bool live_shown_ = false;
};

}  // namespace thalweg
