// The record that a fit leaves in its model file.
#include "catalogue/training.hpp"

#include <thalweg/core/error.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

namespace thalweg {
namespace {

constexpr double absent = std::numeric_limits<double>::quiet_NaN();

constexpr std::array record_counts = {&Training::rows, &Training::passes,     &Training::iterations,
                                      &Training::seed, &Training::batch_size, &Training::buffer};
constexpr std::array record_texts = {&Training::method, &Training::step, &Training::average,
                                     &Training::taken_at};

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
      .average = stepped ? options.online.average.under(options.online.step).text() : "",
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
  const std::vector<double> numbers = {training.observations,
                                       training.progressive_mean_log_likelihood.value_or(absent),
                                       training.log_likelihood.value_or(absent)};
  std::vector<std::uint64_t> counts = {training.converged ? 1U : 0U};
  for (const auto count : record_counts) counts.push_back(training.*count);
  std::vector<std::string> texts = training.labels;
  for (const auto text : record_texts) texts.push_back(training.*text);
  archive.put("numbers", numbers);
  archive.put("counts", std::move(counts));
  archive.put("texts", texts);
  if (training.provisional) archive.put("provisional", std::uint64_t{1});
  archive.put("events", training.events.counts());
}

Training load_training(const Archive& archive) {
  const auto& numbers = archive.numbers("numbers");
  const auto& counts = archive.counts("counts");
  std::vector<std::string> texts = archive.texts("texts");
  if (numbers.size() != 3 || counts.size() != 1 + record_counts.size() ||
      texts.size() < record_texts.size())
    throw Error("saved training record is damaged");
  Training training{.method = "", .observations = numbers[0], .converged = counts[0] == 1};
  if (!std::isnan(numbers[1])) training.progressive_mean_log_likelihood = numbers[1];
  if (!std::isnan(numbers[2])) training.log_likelihood = numbers[2];
  for (std::size_t i = 0; i < record_counts.size(); ++i) training.*record_counts[i] = counts[i + 1];
  const std::size_t labels = texts.size() - record_texts.size();
  for (std::size_t i = 0; i < record_texts.size(); ++i)
    training.*record_texts[i] = texts[labels + i];
  texts.resize(labels);
  training.labels = std::move(texts);
  training.provisional = archive.count_or("provisional", 0) == 1;
  training.events = Events::from_counts(archive.counts("events"));
  return training;
}

}  // namespace thalweg
