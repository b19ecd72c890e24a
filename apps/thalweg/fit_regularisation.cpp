// What --prior FILE, --fix and the file of --continue mean for a model: read and checked before any data are.
#include "fit_run.hpp"
#include <thalweg/catalogue/options.hpp>
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

/// The prior of a file, in place of the one that `regularisation` have.
void take_prior(const std::string& path, const Fitted& prototype, Regularisation& regularisation) {
  if (!std::filesystem::exists(path))
    throw Error("--prior " + path + ": no such file (give a model file or a number of rows)");
  Fitted prior = read_fitted(path);
  check_prior(path, prior, prototype);
  regularisation.prior_strength = 0;
  regularisation.prior = std::make_shared<const Statistic>(std::move(*prior.statistic));
  regularisation.prior_gauge = std::make_shared<const Parameters>(std::move(prior.parameters));
}

std::shared_ptr<const Fixed> held(const FitFlags& flags, const Fitted& prototype) {
  auto fixed = std::make_shared<const Fixed>(Fixed::parse(flags.text("fix")));
  fixed->check(*prototype.plan.parameters, component_count(prototype));
  return fixed;
}

void check_ridge(const FitFlags& flags, const Fitted& prototype) {
  if (flags.number_if_given("ridge").value_or(0) > 0 &&
      !knows(*prototype.entry, *OptionId("ridge")))
    throw UsageError("--ridge means nothing to a " + prototype.entry->name +
                     " model: it has no covariances");
}

/// --continue: the regularisation of the earlier fit go on. A flag may repeat them; to change them is to fit anew.
void go_on_with_regularisation(FitFlags& flags, const Fitted& prototype, const Fitted& earlier) {
  const std::string path = flags.text("continue");
  if (prior_in_statistics(earlier) && parse_method(flags.text("method")) != Method::gradient)
    throw Error(path +
                ": gradient steps with a prior left it in the statistics, so that only --method "
                "gradient can go on from them (or --init begins anew)");
  if (earlier.regularisation.ridge > 0 && parse_method(flags.text("method")) == Method::gradient)
    throw Error(path +
                ": it was fitted with a ridge, which belongs to the M-step: --method gradient "
                "cannot go on from it");
  const auto compare = [&](const char* flag, Regularisation regularisation) {
    Fitted asked = earlier;
    asked.regularisation = std::move(regularisation);
    const std::string other = regularisation_difference(asked, earlier, true);
    if (other.empty()) return;
    throw UsageError(fmt::format(
        "{}: {}: what it was fitted with goes on (leave out {}, or begin anew with --init)", path,
        other, flag));
  };
  Regularisation regularisation = earlier.regularisation;
  regularisation.floor = flags.number_if_given("floor").value_or(regularisation.floor);
  compare("--floor", regularisation);
  regularisation.ridge = flags.number_if_given("ridge").value_or(regularisation.ridge);
  compare("--ridge", regularisation);
  if (flags.has("fix")) regularisation.fixed = held(flags, prototype);
  compare("--fix", regularisation);
  const auto strength = flags.prior_strength();
  if (strength && !(regularisation.prior && regularisation.prior_strength == *strength)) {
    Statistic other(prototype.plan.statistic);
    other.weight = *strength;
    regularisation.prior_strength = *strength;
    regularisation.prior = std::make_shared<const Statistic>(std::move(other));
  } else if (!strength && flags.has("prior")) {
    take_prior(flags.text("prior"), prototype, regularisation);
  }
  compare("--prior", regularisation);
  flags.regularisation = earlier.regularisation;
}

}  // namespace

void choose_regularisation(FitFlags& flags, const Fitted& prototype, bool range,
                           const std::optional<Fitted>& init) {
  check_ridge(flags, prototype);
  if (flags.has("continue")) return go_on_with_regularisation(flags, prototype, *init);
  if (flags.has("fix")) flags.regularisation.fixed = held(flags, prototype);
  if (!flags.has("prior") || flags.prior_strength()) return;
  if (range)
    throw UsageError(fmt::format("--prior {} has one {}, {} asks for several (give a strength)",
                                 flags.text("prior"), prototype.entry->size().help,
                                 prototype.entry->size().flag));
  take_prior(flags.text("prior"), prototype, flags.regularisation);
}

void choose_one_step_regularisation(const FitFlags& flags, Fitted& base) {
  check_ridge(flags, base);
  base.regularisation.floor = flags.number_if_given("floor").value_or(base.regularisation.floor);
  base.regularisation.ridge = flags.number_if_given("ridge").value_or(base.regularisation.ridge);
}

}  // namespace thalweg::app
