// How slowly EM goes near the result, and how much of the start an online fit still remembers.
#include <thalweg/estimators/diagnosis.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace thalweg {
namespace {

constexpr double enough = 0.9;  // of the start forgotten

/// M-steps before and after a run over the stream.
std::pair<std::uint64_t, std::uint64_t> steps(const FitResult& result) {
  const std::uint64_t m = std::max<std::uint64_t>(result.batch_size, 1);
  return {result.buffer / m, result.rows * result.passes / m};
}

Message online_sentence(const Diagnosis& found, const Schedule& step) {
  const std::string text =
      fmt::format("the slowest direction has forgotten {:.0f} % of its start (EM's rate {:.4f})",
                  100 * *found.forgotten, found.slowest.rate);
  if (!found.slow) return text;
  if (step.kind() == Schedule::Kind::reciprocal)
    return text + ": with " + option("step", "1/n") +
           fmt::format(" errors there fall only like n^-{:.2g}", found.slowest.removed()) +
           " (use " + option("step", "0.6") + ")";
  return text + ": this run is too short for it (more " + option("passes") + ", or " +
         option("method", "batch") + ")";
}

}  // namespace

std::size_t rows_for_diagnosis(const Plan& plan) {
  constexpr std::size_t numbers = 8'000'000;  // of statistics, for one E-step
  return std::min<std::size_t>(4096, numbers / std::max<std::size_t>(plan.statistic->size(), 1));
}

std::optional<Diagnosis> diagnose(const Model& model, const Plan& plan, const FitResult& result,
                                  const FitOptions& options, const Block& rows) {
  if (rows.rows < std::max<std::size_t>(100, 2 * plan.free_parameters)) return std::nullopt;
  Diagnosis found;
  found.slowest =
      slowest_direction(model, plan, result.parameters, rows, result.regularisation, options.pool);
  if (!(found.slowest.rate > 1e-6) || found.slowest.rate >= 1) return std::nullopt;
  const auto [first, last] = steps(result);
  if (result.method == Method::online && last > first) {
    const Schedule& step = options.online.step;
    found.forgotten = forgotten(step, first, last, found.slowest.removed());
    found.slow = *found.forgotten < enough;
    found.sentence = online_sentence(found, step);
  } else {
    found.sentence =
        fmt::format("EM's rate is {:.4f} here: {:.0f} iterations of batch EM for a digit",
                    found.slowest.rate, std::ceil(found.slowest.iterations_a_digit()));
  }
  return found;
}

}  // namespace thalweg
