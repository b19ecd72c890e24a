// What all marginals and conditionals have in common: which columns can be asked for, and what goes on from the whole model.
#include "core/change.hpp"
#include "core/nearest.hpp"
#include "parts_of_columns.hpp"
#include <thalweg/core/border.hpp>
#include <thalweg/core/error.hpp>

#include <algorithm>
#include <utility>

namespace thalweg {
namespace {

using Columns = std::vector<std::size_t>;

const Parts& parts_of(const Fitted& fitted, const Columns& columns) {
  if (!fitted.entry->parts)
    throw UsageError("a " + fitted.entry->name + " model has no marginals and conditionals");
  if (columns.empty()) throw UsageError("at least one column is needed");
  for (auto column = columns.begin(); column != columns.end(); ++column) {
    if (*column >= fitted.schema.width())
      throw UsageError("there is no column " + std::to_string(*column));
    if (std::find(columns.begin(), column, *column) != column)
      throw UsageError("column \"" + fitted.schema.columns[*column] + "\" is there twice");
  }
  return *fitted.entry->parts;
}

}  // namespace

Schema schema_on(const Schema& schema, const Columns& columns) {
  Schema part;
  for (const std::size_t j : columns) {
    part.columns.push_back(schema.columns[j]);
    if (schema.has_categories()) part.levels.push_back(schema.levels[j]);
    if (!schema.roles.empty()) part.roles.push_back(schema.roles[j]);
  }
  return part;
}

Fitted on_columns(const Fitted& whole, const Columns& columns) {
  Fitted part = prepare(*whole.entry, whole.options, schema_on(whole.schema, columns));
  part.regularisation.floor = whole.regularisation.floor;
  part.regularisation.ridge = whole.regularisation.ridge;
  return part;
}

Columns other_columns(const Fitted& whole, const Columns& given) {
  Columns others;
  for (std::size_t j = 0; j < whole.schema.width(); ++j)
    if (std::ranges::find(given, j) == given.end()) others.push_back(j);
  return others;
}

void weigh_components(std::span<const double> posterior, Fitted& part) {
  constexpr double smallest_weight = 1e-300;  // its logarithm is finite
  const auto weights = part.parameters[component_probabilities(*part.plan.parameters)->name];
  for (std::size_t k = 0; k < weights.size(); ++k)
    weights[k] = std::max(posterior[k], smallest_weight);
}

Conditional::Conditional(const Fitted& whole, const Columns& given, Fitted of_given)
    : given_(std::move(of_given)),
      others_(other_columns(whole, given)),
      schema_(schema_on(whole.schema, others_)) {}

Conditional::~Conditional() = default;

Fitted Conditional::at(std::span<const double> values) const {
  if (values.size() != given_.schema.width())
    throw UsageError("one value is needed for each given column");
  const Block row = dense_block(values.data(), 1, values.size());
  admit(*given_.model, given_.schema, row);
  Explanation seen;
  explain(*given_.model, given_.parameters, row, seen);
  return rest(values, seen);
}

std::vector<std::string> Conditional::names() const {
  std::vector<std::string> names;
  for (std::size_t j = 0; j < schema_.width(); ++j) {
    if (!schema_.categorical(j)) {
      names.push_back(schema_.columns[j]);
      names.push_back("sd_" + schema_.columns[j]);
    } else {
      for (const std::string& level : schema_.levels[j])
        names.push_back(schema_.columns[j] + "=" + level);
    }
  }
  return names;
}

Parts::~Parts() = default;

Fitted Parts::marginal(const Fitted& whole, const Columns& columns) const {
  Fitted part = on_columns(whole, columns);
  pick_columns(whole.parameters, columns, part.parameters);
  return part;
}

Fitted marginal(const Fitted& fitted, const Columns& columns) {
  return parts_of(fitted, columns).marginal(fitted, columns);
}

std::unique_ptr<const Conditional> condition_on(const Fitted& fitted, const Columns& given) {
  const Parts& parts = parts_of(fitted, given);
  if (given.size() == fitted.schema.width())
    throw UsageError("all columns are given, none is left to predict");
  return parts.condition(fitted, given);
}

Fitted condition(const Fitted& fitted, const Columns& given, std::span<const double> values) {
  return condition_on(fitted, given)->at(values);
}

Columns columns_named(const Fitted& fitted, const std::vector<std::string>& names) {
  const std::vector<std::string>& known = fitted.schema.columns;
  Columns columns;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(known, name);
    if (found == known.end()) {
      const auto nearest = nearest_name(name, known);
      std::string text = "the model has no column \"" + name + "\"";
      if (nearest) text += ", did you mean \"" + *nearest + "\"?";
      const char* before = " (columns: ";
      for (const std::string& column : known) {
        text += before;
        text += column;
        before = ", ";
      }
      throw UsageError(text + ")");
    }
    columns.push_back(static_cast<std::size_t>(found - known.begin()));
  }
  return columns;
}

}  // namespace thalweg
