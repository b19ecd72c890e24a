// What prior, floor, ridge and held parameters mean for a model: read and checked before any data are.
#include "catalogue/asked_regularisation.hpp"

#include "catalogue/fitted_regularisation.hpp"
#include "catalogue/options.hpp"
#include "core/text.hpp"
#include <thalweg/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <utility>

namespace thalweg {
namespace {

/// The file must hold the very model that is fitted: statistics mean nothing to another.
void check_prior(const std::string& path, const Fitted& prior, const Fitted& model) {
  const auto refuse = [&path](const std::string& why) {
    throw UsageError(option("prior") + ": " + path + why);
  };
  if (prior.entry != model.entry)
    refuse(fmt::format(" holds a {} model, the fit is {}", prior.entry->name, model.entry->name));
  for (const auto& [name, value] : model.options.values()) {
    const auto own = prior.options.values().find(name);  // none where another choice left it out
    if (own != prior.options.values().end() && own->second != value)
      refuse(fmt::format(" has {} {}, the fit has {}", name, own->second, value));
  }
  if (prior.schema.columns == model.schema.columns && prior.schema != model.schema)
    refuse(": " + difference(prior.schema, model.schema));
  if (prior.schema != model.schema)
    throw UsageError(option("prior") + ": " + path +
                     fmt::format(" has the columns {}, the fit has {} (",
                                 fmt::join(prior.schema.columns, ", "),
                                 fmt::join(model.schema.columns, ", ")) +
                     option("columns") + " picks)");
  if (!prior.statistic || !(prior.statistic->weight > 0))
    refuse(" has no statistics (give a file that fit wrote, or a strength)");
}

/// The prior of a file, in place of the one that `regularisation` has.
void take_prior(const std::string& path, const Fitted& model, Regularisation& regularisation) {
  if (!std::filesystem::exists(path))
    throw Error(option("prior", path) + ": no such file (give a model file or a number of rows)");
  Fitted prior = read_fitted(path);
  check_prior(path, prior, model);
  regularisation.prior_strength = 0;
  regularisation.prior = std::make_shared<const Statistic>(std::move(*prior.statistic));
  regularisation.prior_gauge = std::make_shared<const Parameters>(std::move(prior.parameters));
}

std::shared_ptr<const Fixed> held(const OptionValues& values, const Fitted& model) {
  auto fixed = std::make_shared<const Fixed>(Fixed::parse(values.text("fix")));
  fixed->check(*model.plan.parameters, component_count(model));
  return fixed;
}

/// Some models have covariances beside some options only.
void check_ridge(const OptionValues& values, const Fitted& model) {
  const bool spreads = std::ranges::any_of(model.plan.parameters->pieces(), [](const Piece& piece) {
    return piece.meaning == Meaning::spread;
  });
  if (values.number_if_given("ridge").value_or(0) > 0 &&
      !(spreads && knows(*model.entry, *OptionId("ridge"))))
    throw UsageError(option("ridge") + " means nothing to a " + model.entry->name +
                     " model: it has no covariances");
}

/// The regularisation of the earlier fit goes on. An option may repeat it; to change it is to fit anew.
Regularisation that_of_earlier(const OptionValues& values, const Fitted& model,
                               const Fitted& earlier) {
  const std::string path = values.text("continue");
  const bool gradient = parse_method(values.text("method")) == Method::gradient;
  if (prior_in_statistics(earlier) && !gradient)
    throw Error(path + ": gradient steps with a prior left it in the statistics, so that only " +
                option("method", "gradient") + " can go on from them (or " + option("init") +
                " begins anew)");
  if (earlier.regularisation.ridge > 0 && gradient)
    throw Error(path + ": it was fitted with a ridge, which belongs to the M-step: " +
                option("method", "gradient") + " cannot go on from it");
  const auto compare = [&](const char* id, const Regularisation& regularisation) {
    Fitted asked = earlier;
    asked.regularisation = regularisation;
    const std::string other = regularisation_difference(asked, earlier, true);
    if (other.empty()) return;
    throw UsageError(path + ": " + other + ": what it was fitted with goes on (leave out " +
                     option(id) + ", or begin anew with " + option("init") + ")");
  };
  Regularisation asked = earlier.regularisation;
  asked.floor = values.number_if_given("floor").value_or(asked.floor);
  compare("floor", asked);
  asked.ridge = values.number_if_given("ridge").value_or(asked.ridge);
  compare("ridge", asked);
  if (values.has("fix")) asked.fixed = held(values, model);
  compare("fix", asked);
  const auto strength = prior_strength(values);
  if (strength && !(asked.prior && asked.prior_strength == *strength)) {
    Statistic other(model.plan.statistic);
    other.weight = *strength;
    asked.prior_strength = *strength;
    asked.prior = std::make_shared<const Statistic>(std::move(other));
  } else if (!strength && values.has("prior")) {
    take_prior(values.text("prior"), model, asked);
  }
  compare("prior", asked);
  return earlier.regularisation;
}

}  // namespace

std::optional<double> prior_strength(const OptionValues& values) {
  const std::string prior = values.text("prior");
  const auto strength = to_number(prior);
  if (strength && (!(*strength > 0) || !std::isfinite(*strength)))
    throw UsageError(option("prior", prior) +
                     " is not a positive number of rows (or a model file)");
  return strength;
}

Regularisation asked_regularisation(const OptionValues& values, const Fitted& model,
                                    const Fitted* earlier, bool several) {
  check_ridge(values, model);
  if (earlier) return that_of_earlier(values, model, *earlier);
  Regularisation asked{.floor = values.number("floor"), .ridge = values.number("ridge")};
  if (values.has("fix")) asked.fixed = held(values, model);
  const auto strength = prior_strength(values);
  if (strength) asked.prior_strength = *strength;
  if (strength || !values.has("prior")) return asked;
  const Option& size = model.entry->size();
  if (several)
    throw UsageError(option("prior", values.text("prior")) + " has one " + std::string(size.help) +
                     ", " + option(std::string(size.name)) + " asks for several (give a strength)");
  take_prior(values.text("prior"), model, asked);
  return asked;
}

Regularisation asked_for_one_step(const OptionValues& values, const Fitted& base) {
  check_ridge(values, base);
  Regularisation asked = base.regularisation;
  asked.floor = values.number_if_given("floor").value_or(asked.floor);
  asked.ridge = values.number_if_given("ridge").value_or(asked.ridge);
  return asked;
}

}  // namespace thalweg
