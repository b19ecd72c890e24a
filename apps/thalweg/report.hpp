// Tables that people read: parameters, starts, events.
#pragma once

#include <thalweg/catalogue/fitted.hpp>
#include <thalweg/estimators/starts.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace thalweg::app {

using Json = nlohmann::ordered_json;

/// A line for each component: weight, then the other parameters by column.
std::string parameter_table(const Fitted& fitted);

std::string starts_table(const std::vector<StartRecord>& starts);

/// "3 × a variance or rate was lifted to its floor", a line each; empty when nothing happened.
std::string events_text(const Events& events);

Json events_json(const Events& events);

/// -2 log L + penalty: AIC, BIC.
double aic(double log_likelihood, std::size_t free_parameters);
double bic(double log_likelihood, std::size_t free_parameters, double observations);

}  // namespace thalweg::app
