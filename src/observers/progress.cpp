// The table of progress, line by line, and the live line below it.
#include "core/change.hpp"
#include <thalweg/observers/progress.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

namespace thalweg {
namespace {

using Seconds = std::chrono::duration<double>;

/// 1234567 as "1.23M": short enough for a table.
std::string short_count(double count) {
  constexpr const char* units[] = {"", "k", "M", "G", "T"};
  std::size_t unit = 0;
  while (count >= 9999.5 && unit < 4) {
    count /= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f}{}", count, count < 100 && unit > 0 ? 1 : 0, units[unit]);
}

std::string clock_text(double seconds) {
  const long s = std::lround(std::min(seconds, 1e9));
  if (s >= 3600) return fmt::format("{}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
  return fmt::format("{}:{:02}", s / 60, s % 60);
}

/// "-" for models that are not mixtures.
std::string smallest_weight(const Step& step) {
  const Piece* const shares = step.current ? row_shares(step.current->layout()) : nullptr;
  if (!shares) return "-";
  const auto weights = (*step.current)[shares->name];
  return fmt::format("{:.4g}", *std::min_element(weights.begin(), weights.end()));
}

std::string bar(double share) {
  constexpr std::size_t places = 20;
  const auto full = std::min(places, static_cast<std::size_t>(share * places));
  return " [" + std::string(full, '=') + std::string(places - full, ' ') + "]";
}

}  // namespace

Progress::Progress(std::FILE* out, ProgressOptions options)
    : Progress(
          [out](const std::string& text) {
            std::fputs(text.c_str(), out);
            std::fflush(out);
          },
          std::move(options)) {}

Progress::Progress(Write write, ProgressOptions options)
    : write_(std::move(write)), options_(std::move(options)) {}

Progress::~Progress() { finish(); }

void Progress::on(const Step& step) {
  if (!std::exchange(told_, true)) rows_before_phase_ = step.rows - step.batch_rows;
  const bool again = step.phase == Phase::batch && step.number < number_;  // from another start
  if (step.phase != phase_ || again) begin_phase(step);
  number_ = step.number;
  if (step.phase == Phase::online) {
    sum_ += step.log_likelihood;
    weight_ += step.batch_weight;
    line_sum_ += step.log_likelihood;
    line_weight_ += step.batch_weight;
    if (step.rows >= next_line_) online_line(step);
  } else if (step.phase == Phase::batch) {
    if (step.number >= next_line_) batch_line(step);
  }
  // The clock is asked rarely: textbook mode steps ten million times a second.
  if (options_.live && (++steps_ % 64 == 0 || step.batch_rows >= 64)) live_line(step);
}

void Progress::begin_phase(const Step& step) {
  wipe();
  if (step.phase == Phase::online) {
    table_row({"rows", "rows/s", "step", "mean log-lik", "since last", "min weight", "held out"});
    next_line_ = std::bit_ceil(step.rows - step.batch_rows + 1);
  } else if (step.phase == Phase::batch) {
    table_row({"iteration", "rows/s", "", "mean log-lik", "gain", "min weight", "held out"});
    next_line_ = 1;
    begun_ = Clock::now();
    rows_before_phase_ = step.rows - step.batch_rows;
    line_sum_ = 0;
    line_weight_ = 0;
  }
  phase_ = step.phase;
}

int Progress::columns() const { return options_.width ? options_.width() : 80; }

std::string Progress::held_out(const Step& step) const {
  if (!options_.validate) return "";
  return fmt::format("{:.6f}", options_.validate(step.reporter->reported()));
}

/// A narrow terminal gets fewer columns rather than broken lines.
void Progress::table_row(const std::array<std::string, 7>& cells) {
  constexpr std::array<int, 7> widths = {12, 8, 9, 12, 12, 10, 12};
  constexpr int wide = 69;
  const bool narrow = options_.live && columns() < wide;
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if ((narrow && (i == 2 || i == 4)) || (i == 6 && !options_.validate)) continue;
    line += fmt::format("{}{:>{}}", i == 0 ? "" : " ", cells[i], widths[i]);
  }
  write_(line + "\n");
}

void Progress::online_line(const Step& step) {
  wipe();
  table_row({std::to_string(step.rows), speed(step), fmt::format("{:.3g}", step.rate),
             fmt::format("{:.6f}", sum_ / weight_), fmt::format("{:.6f}", line_sum_ / line_weight_),
             smallest_weight(step), held_out(step)});
  line_sum_ = 0;
  line_weight_ = 0;
  next_line_ = std::bit_ceil(step.rows + 1);
}

void Progress::batch_line(const Step& step) {
  wipe();
  const double mean = step.log_likelihood / step.batch_weight;
  table_row({std::to_string(step.number), speed(step), "", fmt::format("{:.6f}", mean),
             line_weight_ > 0 ? fmt::format("{:.6f}", mean - line_sum_ / line_weight_) : "",
             smallest_weight(step), held_out(step)});
  line_sum_ = step.log_likelihood;
  line_weight_ = step.batch_weight;
  const std::uint64_t every = options_.every;
  next_line_ = every > 0 ? (step.number / every + 1) * every : std::bit_ceil(step.number + 1);
}

void Progress::live_line(const Step& step) {
  const auto now = Clock::now();
  const double elapsed = Seconds(now - begun_).count();
  if (elapsed < 1 || Seconds(now - drawn_).count() < 0.1) return;
  drawn_ = now;
  std::string line = step.phase == Phase::batch
                         ? fmt::format("  iteration {}", step.number)
                         : fmt::format("  {} rows", short_count(static_cast<double>(step.rows)));
  line += fmt::format(", {} rows/s", speed(step));
  const int width = columns();
  const auto share =
      step.phase == Phase::batch || !options_.share_read ? std::nullopt : options_.share_read();
  if (share && *share > 0)  // the time that is left first: narrow terminals cut the end
    line = fmt::format("  {} left, {:.0f} %{},{}", clock_text(elapsed * (1 - *share) / *share),
                       100 * *share, width >= 60 ? bar(*share) : "", line.substr(1));
  if (width > 1) line.resize(std::min(line.size(), static_cast<std::size_t>(width - 1)));
  write_("\r\033[K" + line);
  live_shown_ = true;
}

void Progress::wipe() {
  if (live_shown_) write_("\r\033[K");
  live_shown_ = false;
}

void Progress::finish() { wipe(); }

/// Rows a second; "-" while the clock has not moved enough to tell.
std::string Progress::speed(const Step& step) const {
  const double elapsed = Seconds(Clock::now() - begun_).count();
  if (elapsed < 1e-3) return "-";
  return short_count(static_cast<double>(step.rows - rows_before_phase_) / elapsed);
}

}  // namespace thalweg
