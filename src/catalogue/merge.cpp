// Fits of parts of the data become one fit.
#include "catalogue/fitted_regularisation.hpp"
#include "catalogue/training.hpp"
#include <thalweg/catalogue/merge.hpp>
#include <thalweg/catalogue/order.hpp>
#include <thalweg/core/border.hpp>
#include <thalweg/core/capabilities.hpp>
#include <thalweg/core/error.hpp>
#include <thalweg/core/random.hpp>
#include <thalweg/estimators/expectation.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace thalweg {
namespace {

std::string taken_at(const Fitted& part) { return part.training ? part.training->taken_at : ""; }

[[noreturn]] void refuse_part(const std::vector<std::string>& names, std::size_t i,
                              const Message& why) {
  throw Error(names[i] + ": cannot be merged with " + names[0] + ": " + why);
}

void check_parts(const std::vector<Fitted>& parts, const std::vector<std::string>& names) {
  if (parts.size() < 2) throw UsageError("merge needs at least two model files");
  const Fitted& first = parts.front();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Fitted& part = parts[i];
    const auto refuse = [&](const Message& why) { refuse_part(names, i, why); };
    if (part.entry != first.entry)
      refuse("it holds a " + part.entry->name + " model, not " + first.entry->name);
    for (const auto& [option, value] : first.options.values()) {
      const auto own = part.options.values().find(option);  // none where another choice left it out
      if (own != part.options.values().end() && own->second != value)
        refuse(std::string("its ").append(option).append(" is ").append(own->second));
    }
    if (const std::string other = difference(part.schema, first.schema); !other.empty())
      refuse(other);
    if (!part.statistic || !(part.statistic->weight > 0))
      refuse("it has no statistics (merge files that fit wrote)");
    if (prior_in_statistics(part))
      refuse(Message("gradient steps with a prior leave it in their statistics")
                 .advise("use " + thalweg::option("method", "online")));
    if (taken_at(part) != taken_at(first))
      refuse(taken_at(part).empty() || taken_at(first).empty()
                 ? "only one of them comes from " + option("one_step_from")
                 : Message("their statistics were taken at different parameters")
                       .advise("use the same model for " + option("one_step_from") +
                               " on every shard"));
  }
}

/// S_0 of the usual prior, which each part found on its own first rows: `rate` is the share of this part in all rows so far.
void blend_prior(const Fitted& part, double rate, Fitted& whole) {
  Statistic S_0 = *regularisation_here(whole).prior;
  const double n_0 = S_0.weight;
  blend(S_0, *settled_at(*whole.model, part.regularisation, whole.parameters).prior, rate);
  S_0.weight = n_0;
  whole.regularisation.prior = std::make_shared<const Statistic>(std::move(S_0));
  whole.regularisation.prior_gauge = std::make_shared<const Parameters>(whole.parameters);
}

}  // namespace

Fitted one_step(const Fitted& base, Source& rows, const ThreadPool& pool) {
  admit(base.schema, rows);
  Fitted result = base;
  Expectation e(*base.model, base.parameters, base.plan, pool);
  e.add(rows);
  e.finish();
  if (!(e.weight() > 0)) throw Error("no rows to take an E-step over");
  result.statistic = mean(e.sums());
  result.training = training_of(e, base.parameters);
  result.regularisation = regularisation_here(base);
  maximise(*base.model, *result.statistic,
           result.regularisation.context(e.weight(), &result.training->events), result.parameters);
  return result;
}

std::vector<std::size_t> matching_components(const Fitted& one, const Fitted& other) {
  const std::size_t K = one.plan.parameters->extent(Axis::component);
  const std::size_t d = one.schema.width();
  const std::size_t rows = std::clamp<std::size_t>(500 * K, 2000, 20'000);
  // Where rows are not independent, half of them are sequences of the one, the others of the other.
  constexpr std::size_t a_sequence = 100;
  const bool by_rows = one.plan.unit == Unit::row;
  std::vector<double> values(rows * d);
  std::vector<std::uint8_t> begins(rows);
  Carry carry;
  for (std::size_t t = 0; t < rows; ++t) {
    begins[t] = by_rows || t % a_sequence == 0 ? 1 : 0;
    if (begins[t] != 0) carry = {};
    Random random(0, t, 3);
    const Fitted& drawn = (by_rows ? t : t / a_sequence) % 2 == 0 ? one : other;
    drawn.model->draw(drawn.parameters, Block{}, carry, random, values.data() + t * d);
  }
  Block block = dense_block(values.data(), rows, d);
  block.side.unit_start = begins.data();
  std::array<Explanation, 2> seen;
  explain(*one.model, one.parameters, block, seen[0]);
  explain(*other.model, other.parameters, block, seen[1]);
  std::vector<double> overlap(K * K);
  for (std::size_t t = 0; t < rows; ++t)
    for (std::size_t i = 0; i < K; ++i)
      for (std::size_t j = 0; j < K; ++j)
        overlap[i * K + j] += seen[0].posterior[t * K + i] * seen[1].posterior[t * K + j];
  return best_assignment(overlap, K);
}

Merged merge(std::vector<Fitted> parts, const std::vector<std::string>& names) {
  check_parts(parts, names);
  Merged merged{.fitted = parts.front(), .exact = !taken_at(parts.front()).empty()};
  Fitted& whole = merged.fitted;
  double behind = 0;  // n
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Fitted& part = parts[i];
    if (!merged.exact && i > 0) {
      if (whole.entry->has_components()) reorder(part, matching_components(parts.front(), part));
      regauge(*whole.model, part.parameters, whole.parameters, *part.statistic);
    }
    const double own = rows_behind(part);
    behind += own;
    if (i > 0) {
      const std::string other = regularisation_difference(parts.front(), part, merged.exact);
      if (!other.empty()) refuse_part(names, i, other);
      if (whole.regularisation.prior && !merged.exact) blend_prior(part, own / behind, whole);
      const double weight = whole.statistic->weight + part.statistic->weight;
      blend(*whole.statistic, *part.statistic, part.statistic->weight / weight);
      whole.statistic->weight = weight;
    }
  }
  Training training = training_of(parts, merged.exact);
  if (!whole.regularisation.prior) behind = whole.statistic->weight;
  whole.regularisation = regularisation_here(whole);
  maximise(*whole.model, *whole.statistic, whole.regularisation.context(behind, &training.events),
           whole.parameters);
  whole.training = std::move(training);
  return merged;
}

}  // namespace thalweg
