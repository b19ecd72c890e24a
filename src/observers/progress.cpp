#include <thalweg/observers/progress.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

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
  if (!step.current || !step.current->layout().find("weights")) return "-";
  const auto weights = (*step.current)["weights"];
  return fmt::format("{:.4g}", *std::min_element(weights.begin(), weights.end()));
}

std::string bar(double share) {
  constexpr std::size_t places = 20;
  const auto full = std::min(places, static_cast<std::size_t>(share * places));
  return " [" + std::string(full, '=') + std::string(places - full, ' ') + "]";
}

}  // namespace

Progress::Progress(std::FILE* out, ProgressOptions options)
    : out_(out), options_(std::move(options)) {}

Progress::~Progress() { finish(); }

void Progress::on(const Step& step) {
  if (step.phase != phase_) {
    wipe();
    if (step.phase == Phase::online) {
      fmt::print(out_, "{:>12} {:>8} {:>9} {:>12} {:>12} {:>10}{}\n", "rows", "rows/s", "step",
                 "mean log-lik", "since last", "min weight",
                 options_.validate ? fmt::format(" {:>12}", "held out") : "");
      next_line_ = std::bit_ceil(step.rows - step.batch_rows + 1);
    } else if (step.phase == Phase::batch) {
      fmt::print(out_, "{:>12} {:>8} {:>9} {:>12} {:>12} {:>10}{}\n", "iteration", "rows/s", "",
                 "mean log-lik", "gain", "min weight",
                 options_.validate ? fmt::format(" {:>12}", "held out") : "");
      next_line_ = 1;
      begun_ = Clock::now();
      rows_before_phase_ = step.rows - step.batch_rows;
      line_sum_ = 0;
      line_weight_ = 0;
    }
    phase_ = step.phase;
  }
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

void Progress::online_line(const Step& step) {
  wipe();
  fmt::print(out_, "{:>12} {:>8} {:>9.3g} {:>12.6f} {:>12.6f} {:>10}{}\n", step.rows, speed(step),
             step.rate, sum_ / weight_, line_sum_ / line_weight_, smallest_weight(step),
             options_.validate
                 ? fmt::format(" {:>12.6f}", options_.validate(step.reporter->reported()))
                 : "");
  std::fflush(out_);
  line_sum_ = 0;
  line_weight_ = 0;
  next_line_ = std::bit_ceil(step.rows + 1);
}

void Progress::batch_line(const Step& step) {
  wipe();
  const double mean = step.log_likelihood / step.batch_weight;
  fmt::print(out_, "{:>12} {:>8} {:>9} {:>12.6f} {:>12} {:>10}{}\n", step.number, speed(step), "",
             mean, line_weight_ > 0 ? fmt::format("{:.6f}", mean - line_sum_ / line_weight_) : "",
             smallest_weight(step),
             options_.validate
                 ? fmt::format(" {:>12.6f}", options_.validate(step.reporter->reported()))
                 : "");
  std::fflush(out_);
  line_sum_ = step.log_likelihood;
  line_weight_ = step.batch_weight;
  next_line_ = std::bit_ceil(step.number + 1);
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
  const int width = options_.width ? options_.width() : 80;
  const auto share =
      step.phase == Phase::batch || !options_.share_read ? std::nullopt : options_.share_read();
  if (share && *share > 0)  // the time that is left first: narrow terminals cut the end
    line = fmt::format("  {} left, {:.0f} %{},{}", clock_text(elapsed * (1 - *share) / *share),
                       100 * *share, width >= 60 ? bar(*share) : "", line.substr(1));
  if (width > 1) line.resize(std::min(line.size(), static_cast<std::size_t>(width - 1)));
  fmt::print(out_, "\r\033[K{}", line);
  std::fflush(out_);
  live_shown_ = true;
}

void Progress::wipe() {
  if (live_shown_) fmt::print(out_, "\r\033[K");
  live_shown_ = false;
}

void Progress::finish() {
  wipe();
  std::fflush(out_);
}

/// Rows a second; "-" while the clock has not moved enough to tell.
std::string Progress::speed(const Step& step) const {
  const double elapsed = Seconds(Clock::now() - begun_).count();
  if (elapsed < 1e-3) return "-";
  return short_count(static_cast<double>(step.rows - rows_before_phase_) / elapsed);
}

}  // namespace thalweg
