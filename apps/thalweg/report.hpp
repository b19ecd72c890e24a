// Tables that people read: parameters, starts, events.
#pragma once

#include <thalweg/catalogue/fitted.hpp>
#include <thalweg/catalogue/warnings.hpp>
#include <thalweg/estimators/starts.hpp>

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace thalweg::app {

using Json = nlohmann::ordered_json;

/// A line for each component: weight, then the other parameters by column; of a factor model a line for each column.
std::string parameter_table(const Fitted& fitted);

std::string starts_table(const std::vector<StartRecord>& starts);

/// "3 × a variance, rate or probability was lifted to its floor (component 1; column width)", a line each; empty when nothing happened.
std::string events_text(const Events& events, const Schema& schema);

/// "warning: …", a line each.
std::string warnings_text(const std::vector<Warning>& warnings);

/// "label setosa is component 0", a line each.
std::string labels_text(const std::vector<std::string>& labels);

Json events_json(const Events& events);
Json degenerate_json(const std::vector<Degeneracy>& found);
Json warnings_json(const std::vector<Warning>& warnings);

}  // namespace thalweg::app
