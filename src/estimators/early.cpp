// The coarse model of the first rows: EM under a prior whose strength a third of the rows decides.
#include "estimators/early.hpp"

#include <thalweg/core/capabilities.hpp>
#include <thalweg/core/schedule.hpp>
#include <thalweg/data/picked_rows.hpp>
#include <thalweg/estimators/expectation.hpp>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace thalweg {
namespace {

constexpr std::array<double, 4> strengths = {1, 4, 16, 64};  // of the prior: rows for a component
constexpr double usual_strength = 4;                         // where none can be chosen

std::uint64_t components_of(const Plan& plan) {
  return std::max<std::uint64_t>(plan.parameters->extent(Axis::component), 1);
}

/// Rows may be taken one by one.
bool pickable(const Block& rows, const Plan& plan) {
  return plan.unit == Unit::row && !rows.is_sparse();
}

class Early {
 public:
  Early(const ModelHandle& model, const Schema& schema, const Plan& plan, Regularisation asked,
        std::uint64_t seed, const ThreadPool& pool)
      : model_(model),
        schema_(schema),
        plan_(plan),
        asked_(std::move(asked)),
        seed_(seed),
        pool_(pool) {}

  Start find(const Block& rows) const {
    Batch best = best_guess(rows, chosen_strength(rows), 3);
    for (int i = 0; i < 6; ++i) best.iterate(rows);
    best.evaluate(rows);
    return {best.parameters(), best.statistic(), {}};
  }

 private:
  static double value(const Batch& batch) {
    return std::isfinite(batch.objective()) ? batch.objective() : -HUGE_VAL;
  }

  /// A prior that was asked for is not made weaker.
  Regularisation coarse(const Block& rows, double strength) const {
    Regularisation regularisation = asked_;
    if (!regularisation.prior && capability<Conjugate>(*model_))
      regularisation.prior_strength =
          std::max(regularisation.prior_strength, strength * real(components_of(plan_)));
    return settle(*model_, std::move(regularisation), plan_, rows);
  }

  /// After two iterations.
  Batch best_guess(const Block& rows, double strength, std::uint64_t guesses) const {
    const BatchOptions options{
        .tolerance = 0, .regularisation = coarse(rows, strength), .pool = pool_};
    std::optional<Batch> best;
    for (std::uint64_t guess = 0; guess < guesses; ++guess) {
      Random random(seed_, guess, 9);
      Batch batch(model_, schema_, options);
      batch.begin(model_->start(plan_, rows, random));
      for (int i = 0; i < 2; ++i) batch.iterate(rows);
      if (!best || value(batch) > value(*best)) best.emplace(std::move(batch));
    }
    return std::move(*best);
  }

  /// Under which two thirds of the rows say most of the others.
  double chosen_strength(const Block& rows) const {
    if (!pickable(rows, plan_) || asked_.prior || !capability<Conjugate>(*model_))
      return usual_strength;
    std::vector<std::size_t> learned;
    std::vector<std::size_t> held;
    for (std::size_t t = 0; t < rows.rows; ++t) (t % 3 == 2 ? held : learned).push_back(t);
    PickedRows some;
    PickedRows others;
    const Block learn = some.pick(rows, learned);
    const Block score = others.pick(rows, held);
    const std::uint64_t guesses = rows.rows <= 500 ? 3 : 1;  // many rows differ less
    double best = -HUGE_VAL;
    double chosen = usual_strength;
    for (const double strength : strengths) {
      const Batch batch = best_guess(learn, strength, guesses);
      const double here =
          expect_all(*model_, batch.parameters(), plan_, score, pool_).log_likelihood();
      if (!(here > best)) break;
      best = here;
      chosen = strength;
    }
    return chosen;
  }

  const ModelHandle& model_;
  const Schema& schema_;
  const Plan& plan_;
  Regularisation asked_;
  std::uint64_t seed_;
  const ThreadPool& pool_;
};

}  // namespace

std::uint64_t rows_of_early_model(const Plan& plan) {
  return std::max<std::uint64_t>({50, 10 * components_of(plan), plan.rows_needed});
}

Start find_early(const ModelHandle& model, const Schema& schema, const Plan& plan,
                 const Block& rows, const Regularisation& asked, std::uint64_t seed,
                 const ThreadPool& pool) {
  const Early early(model, schema, plan, asked, seed, pool);
  // Whoever asks need not wait for long: some hundredths of a second, or the thousand rows below which little can be said.
  constexpr double patience = 0.05;
  constexpr double visits = 40;
  const double affordable = std::clamp(patience / (visits * seconds_of_a_visit(plan)), 1e3, 4e3);
  const std::size_t most =
      std::max(static_cast<std::size_t>(affordable), std::size_t{4} * rows_of_early_model(plan));
  if (rows.rows <= most || !pickable(rows, plan)) return early.find(rows);
  std::vector<std::size_t> places(most);
  Random random(seed, rows.rows, 8);
  for (std::size_t i = 0; i < most; ++i) {
    const std::size_t from = i * rows.rows / most;
    places[i] = from + random.index((i + 1) * rows.rows / most - from);
  }
  PickedRows picked;
  return early.find(picked.pick(rows, places));
}

}  // namespace thalweg
