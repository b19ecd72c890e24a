// What --prior FILE and --fix mean for a model: read and checked before any data are.
#include "fit_run.hpp"
#include <thalweg/core/error.hpp>

#include <fmt/format.h>

#include <filesystem>

namespace thalweg::app {
namespace {

/// The file must hold the very model that is fitted: statistics mean nothing to another.
void check_prior(const std::string& path, const Fitted& prior, const Fitted& prototype) {
  if (prior.entry != prototype.entry)
    throw UsageError(fmt::format("--prior: {} holds a {} model, the fit is {}", path,
                                 prior.entry->name, prototype.entry->name));
  for (const auto& [option, value] : prototype.options.values())
    if (prior.options.text(option) != value)
      throw UsageError(fmt::format("--prior: {} has {} {}, the fit has {}", path, option,
                                   prior.options.text(option), value));
  if (prior.schema.columns == prototype.schema.columns && prior.schema != prototype.schema)
    throw UsageError(
        fmt::format("--prior: {}: {}", path, difference(prior.schema, prototype.schema)));
  if (prior.schema != prototype.schema)
    throw UsageError(fmt::format("--prior: {} has the columns {}, the fit has {} (--columns picks)",
                                 path, fmt::join(prior.schema.columns, ", "),
                                 fmt::join(prototype.schema.columns, ", ")));
  if (!prior.statistic || !(prior.statistic->weight > 0))
    throw UsageError(fmt::format(
        "--prior: {} has no statistics (give a file that fit wrote, or a strength)", path));
}

}  // namespace

void choose_terms(FitFlags& flags, const Fitted& prototype, bool range) {
  if (flags.has("fix")) {
    auto fixed = std::make_shared<const Fixed>(Fixed::parse(flags.text("fix")));
    fixed->check(*prototype.plan.parameters, component_count(prototype));
    flags.terms.fixed = std::move(fixed);
  }
  if (!flags.has("prior") || flags.prior_strength()) return;
  if (range)
    throw UsageError(fmt::format("--prior {} has one {}, {} asks for several (give a strength)",
                                 flags.text("prior"), prototype.entry->size().help,
                                 prototype.entry->size().flag));
  if (!std::filesystem::exists(flags.text("prior")))
    throw Error("--prior " + flags.text("prior") +
                ": no such file (give a model file or a number of rows)");
  Fitted prior = read_fitted(flags.text("prior"));
  check_prior(flags.text("prior"), prior, prototype);
  flags.terms.prior = std::make_shared<const Statistic>(std::move(*prior.statistic));
  flags.terms.prior_gauge = std::make_shared<const Parameters>(std::move(prior.parameters));
}

double prior_weight(const FitFlags& flags) {
  return flags.terms.prior ? flags.terms.prior->weight : flags.prior_strength().value_or(0);
}

}  // namespace thalweg::app
