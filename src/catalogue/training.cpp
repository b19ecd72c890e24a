// The record that a fit leaves in its model file.
#include <thalweg/catalogue/training.hpp>
#include <thalweg/core/error.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

namespace thalweg {
namespace {

constexpr double absent = std::numeric_limits<double>::quiet_NaN();

/// The parameters by their bits, as sixteen hexadecimal digits.
std::string fingerprint(const Parameters& theta) {
  std::uint64_t hash = theta.size();
  for (const double value : theta.values()) {
    hash = (hash ^ std::bit_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32U;
  }
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4)
    text += digits[hash >> static_cast<unsigned>(shift) & 15U];
  return text;
}

/// A mean over all passes of an online method weighs P times what the rows do.
bool counts_passes(const Training& training) {
  const bool streamed =
      training.method == name(Method::online) || training.method == name(Method::gradient);
  return streamed && training.passes > 1;
}

}  // namespace

Training training_of(const FitResult& result, const FitOptions& options, const Training* earlier) {
  const bool kept = result.memory > 0 || result.rate;
  const bool stepped = result.batch_size > 0 && !kept;
  const std::string step = result.rate ? Schedule::constant(*result.rate).text()
                           : stepped   ? options.online.step.text()
                                       : "";
  return {
      .method = std::string(name(result.method)),
      .observations = result.weight + (earlier ? earlier->observations : 0),
      .rows = result.rows + (earlier ? earlier->rows : 0),
      .passes = result.passes,
      .progressive_mean_log_likelihood = streams(result.method) ? result.progressive : std::nullopt,
      .log_likelihood = result.log_likelihood,
      .iterations = result.iterations,
      .converged = result.converged,
      .seed = options.online.seed,
      .step = step,
      .average = stepped ? options.online.average.text() : "",
      .batch_size = result.batch_size,
      .buffer = result.buffer,
      .events = result.events};
}

Training training_of(const Expectation& e, const Parameters& theta) {
  return {.method = "one-step",
          .observations = e.weight(),
          .rows = e.rows(),
          .passes = 1,
          .log_likelihood = e.log_likelihood(),
          .iterations = 1,
          .taken_at = fingerprint(theta)};
}

Training training_of(const std::vector<Fitted>& parts, bool exact) {
  Training whole{.method = exact ? "one-step" : "merged"};
  if (exact) {
    whole.log_likelihood = 0;
    whole.iterations = 1;
    whole.taken_at = parts.front().training->taken_at;
  }
  for (const Fitted& part : parts) {
    if (!part.training) continue;
    whole.observations += part.training->observations;
    whole.rows += part.training->rows;
    whole.passes = std::max(whole.passes, part.training->passes);
    whole.events.add(part.training->events);
    if (whole.log_likelihood && part.training->log_likelihood)
      *whole.log_likelihood += *part.training->log_likelihood;
  }
  return whole;
}

void take(const FitResult& result, const FitOptions& options, Fitted& fitted,
          const Training* earlier) {
  fitted.parameters = result.parameters;
  fitted.statistic.reset();
  if (result.statistic.size() > 0) fitted.statistic = result.statistic;
  fitted.regularisation = result.regularisation;
  fitted.training = training_of(result, options, earlier);
  weigh_once(fitted);
}

void weigh_once(Fitted& fitted) {
  if (fitted.statistic && fitted.training && counts_passes(*fitted.training))
    fitted.statistic->weight = std::min(fitted.statistic->weight, fitted.training->observations);
}

Fitted continuable(Fitted fitted, const std::string& where) {
  if (!fitted.statistic || !fitted.training || !(fitted.statistic->weight > 0))
    throw Error(where + ": has no statistics to go on with (give a file that fit wrote, or use " +
                option("init") + ")");
  weigh_once(fitted);
  if (fitted.regularisation.prior)
    fitted.statistic->weight = std::min(fitted.statistic->weight, fitted.training->observations);
  return fitted;
}

void save(const Training& training, Archive& archive) {
  archive.put("texts", std::vector<std::string>{training.method, training.step, training.average,
                                                training.taken_at});
  archive.put("labels", training.labels);
  archive.put("numbers",
              std::vector<double>{training.observations,
                                  training.progressive_mean_log_likelihood.value_or(absent),
                                  training.log_likelihood.value_or(absent)});
  archive.put("counts",
              std::vector<std::uint64_t>{training.rows, training.passes, training.iterations,
                                         training.converged ? 1U : 0U, training.seed,
                                         training.batch_size, training.buffer});
  archive.put("events", training.events.counts());
}

Training load_training(const Archive& archive) {
  const std::vector<std::string> texts = archive.texts("texts");
  const auto& numbers = archive.numbers("numbers");
  const auto& counts = archive.counts("counts");
  if (texts.size() != 4 || numbers.size() != 3 || counts.size() != 7)
    throw Error("saved training record is damaged");
  const auto present = [](double number) {
    return std::isnan(number) ? std::nullopt : std::optional(number);
  };
  return {.method = texts[0],
          .observations = numbers[0],
          .rows = counts[0],
          .passes = counts[1],
          .progressive_mean_log_likelihood = present(numbers[1]),
          .log_likelihood = present(numbers[2]),
          .iterations = counts[2],
          .converged = counts[3] == 1,
          .seed = counts[4],
          .step = texts[1],
          .average = texts[2],
          .batch_size = counts[5],
          .buffer = counts[6],
          .events = Events::from_counts(archive.counts("events")),
          .labels = archive.texts("labels"),
          .taken_at = texts[3]};
}

}  // namespace thalweg
