#include <thalweg/catalogue/gaussian_parts.hpp>
#include <thalweg/core/capabilities.hpp>
#include <thalweg/core/error.hpp>
#include <thalweg/core/nearest.hpp>
#include <thalweg/kernels/cholesky.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

namespace thalweg {
namespace {

using Columns = std::vector<std::size_t>;

void check_columns(const Fitted& fitted, const Columns& columns) {
  if (fitted.entry->name != "gaussian")
    throw UsageError("only gaussian models have marginals and conditionals, this is a " +
                     fitted.entry->name + " model");
  if (columns.empty()) throw UsageError("at least one column is needed");
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] >= fitted.schema.width())
      throw UsageError("there is no column " + std::to_string(columns[i]));
    if (std::find(columns.begin(), columns.begin() + static_cast<std::ptrdiff_t>(i), columns[i]) !=
        columns.begin() + static_cast<std::ptrdiff_t>(i))
      throw UsageError("column \"" + fitted.schema.columns[columns[i]] + "\" is there twice");
  }
}

/// Columns i and j of component k, whatever the kind of covariance.
double covariance_of(const Fitted& fitted, std::size_t k, std::size_t i, std::size_t j) {
  const auto values = fitted.parameters["covariances"];
  const std::size_t d = fitted.schema.width();
  const std::string& kind = fitted.options.text("covariance");
  if (kind == "full") return values[(k * d + i) * d + j];
  if (kind == "tied") return values[i * d + j];
  if (i != j) return 0;
  return kind == "diag" ? values[k * d + i] : values[k];
}

/// An empty mixture of the same kind on some of the columns. Limits of variances go on; what a prior says, and what is held, is of
/// all columns together.
Fitted on_columns(const Fitted& fitted, const Columns& columns) {
  Schema schema;
  for (const std::size_t j : columns) schema.columns.push_back(fitted.schema.columns[j]);
  Fitted part = prepare(*fitted.entry, fitted.options, schema);
  part.regularisation.floor = fitted.regularisation.floor;
  part.regularisation.ridge = fitted.regularisation.ridge;
  return part;
}

/// covariance(k, i, j) into the shape of the kind.
template <class Entry>
void fill_covariances(Fitted& part, const Entry& covariance) {
  const auto out = part.parameters["covariances"];
  const std::size_t d = part.schema.width();
  const std::string& kind = part.options.text("covariance");
  const bool matrix = kind == "full" || kind == "tied";
  const std::size_t size = matrix ? d * d : kind == "diag" ? d : 1;
  for (std::size_t at = 0; at < out.size(); ++at) {
    const std::size_t k = at / size;
    const std::size_t i = matrix ? at % size / d : at % size;
    out[at] = covariance(k, i, matrix ? at % d : i);
  }
}

}  // namespace

Fitted marginal(const Fitted& fitted, const Columns& columns) {
  check_columns(fitted, columns);
  Fitted part = on_columns(fitted, columns);
  const auto copy = [&](const char* name) {  // some columns of each row
    const auto from = fitted.parameters[name];
    const auto to = part.parameters[name];
    for (std::size_t at = 0; at < to.size(); ++at)
      to[at] = from[at / columns.size() * fitted.schema.width() + columns[at % columns.size()]];
  };
  std::ranges::copy(fitted.parameters["weights"], part.parameters["weights"].begin());
  for (const char* name : {"means", "shift", "scale"}) copy(name);
  fill_covariances(part, [&](std::size_t k, std::size_t i, std::size_t j) {
    return covariance_of(fitted, k, columns[i], columns[j]);
  });
  return part;
}

GaussianCondition::GaussianCondition(const Fitted& fitted, const Columns& given)
    : given_(marginal(fitted, given)), components_(fitted.parameters["weights"].size()) {
  const std::size_t d = fitted.schema.width();
  Columns order = given;
  for (std::size_t j = 0; j < d; ++j)
    if (std::ranges::find(given, j) == given.end()) others_.push_back(j);
  if (others_.empty()) throw UsageError("all columns are given, none is left to predict");
  order.insert(order.end(), others_.begin(), others_.end());
  const bool shared = fitted.options.text("covariance") == "tied";
  for (std::size_t k = 0; k < components_; ++k) {
    for (const std::size_t j : order) means_.push_back(fitted.parameters["means"][k * d + j]);
    if (shared && k > 0) continue;
    std::vector<double>& factor = factors_.emplace_back();
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j <= i; ++j)
        factor.push_back(covariance_of(fitted, k, order[i], order[j]));
    if (!kernels::cholesky(factor.data(), d))
      throw Error("the covariance of component " + std::to_string(k) + " is not positive definite");
  }
}

std::vector<double> GaussianCondition::means(std::span<const double> values) const {
  const std::size_t a = given_.schema.width();
  const std::size_t b = others_.size();
  if (values.size() != a) throw UsageError("one value is needed for each given column");
  std::vector<double> result(components_ * b);
  std::vector<double> z(a);  // L_aa^-1 (a - m_a)
  for (std::size_t k = 0; k < components_; ++k) {
    const double* mean = means_.data() + k * (a + b);
    const double* factor = factors_[factors_.size() > 1 ? k : 0].data();
    for (std::size_t i = 0; i < a; ++i) z[i] = values[i] - mean[i];
    kernels::forward_substitute(factor, a, z.data());
    for (std::size_t j = 0; j < b; ++j)
      result[k * b + j] = std::inner_product(z.begin(), z.end(),
                                             factor + kernels::packed_at(a + j, 0), mean[a + j]);
  }
  return result;
}

double GaussianCondition::covariance(std::size_t k, std::size_t i, std::size_t j) const {
  const std::size_t a = given_.schema.width();
  const double* factor = factors_[factors_.size() > 1 ? k : 0].data();
  const double* row_i = factor + kernels::packed_at(a + i, a);
  const double* row_j = factor + kernels::packed_at(a + j, a);
  return std::inner_product(row_i, row_i + std::min(i, j) + 1, row_j, 0.0);
}

Fitted condition(const Fitted& fitted, const Columns& given, std::span<const double> values) {
  const GaussianCondition parts(fitted, given);
  Fitted rest = on_columns(fitted, parts.others());
  Explanation seen;
  explain(*parts.given().model, parts.given().parameters,
          dense_block(values.data(), 1, given.size()), seen);
  constexpr double smallest_weight = 1e-300;  // its logarithm is finite
  for (std::size_t k = 0; k < seen.classes; ++k)
    rest.parameters["weights"][k] = std::max(seen.posterior[k], smallest_weight);
  std::ranges::copy(parts.means(values), rest.parameters["means"].begin());
  fill_covariances(
      rest, [&](std::size_t k, std::size_t i, std::size_t j) { return parts.covariance(k, i, j); });
  calibrate(*rest.model, dense_block(nullptr, 0, rest.schema.width()), rest.parameters);
  return rest;
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
