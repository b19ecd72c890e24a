// Models on their way into a model file and back, everything checked.
#include "catalogue/fitted_regularisation.hpp"
#include "core/domain.hpp"
#include "file_shapes.hpp"
#include <thalweg/catalogue/fitted.hpp>
#include <thalweg/core/capabilities.hpp>
#include <thalweg/core/error.hpp>

#include <algorithm>

namespace thalweg {
namespace {

void check_complete(const std::vector<NamedArray>& arrays, bool constants, const Layout& layout) {
  for (const Piece& piece : layout.pieces())
    if (piece.constant == constants && !find_array(arrays, piece.name))
      throw Error("it has no \"" + piece.name + "\"");
  check_shapes(arrays, layout);
}

void fill_whole(const std::vector<NamedArray>& arrays, bool constants, Named& named) {
  check_complete(arrays, constants, named.layout());
  fill_from(arrays, named);
  for (const Piece& piece : named.layout().pieces())
    if (piece.constant == constants)
      if (const std::string fault = domain_fault(piece, named[piece.name]); !fault.empty())
        throw Error(fault);
}

Fixed fixed_from(const std::vector<std::string>& words, const Fitted& fitted) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
  Fixed fixed = Fixed::parse(text);
  fixed.check(*fitted.plan.parameters, component_count(fitted));
  return fixed;
}

/// Constants are in place already: a prior is written with them.
Regularisation regularisation_from(const RegularisationRecord& record, const Fitted& fitted) {
  Regularisation regularisation;
  regularisation.floor = record.floor.value_or(regularisation.floor);
  regularisation.ridge = record.ridge.value_or(regularisation.ridge);
  if (!record.fixed.empty())
    regularisation.fixed = std::make_shared<const Fixed>(fixed_from(record.fixed, fitted));
  if (record.prior.empty()) return regularisation;
  Statistic S_0(fitted.plan.statistic);
  fill_whole(record.prior, false, S_0);
  S_0.weight = record.prior_weight;
  if (record.usual_prior) regularisation.prior_strength = record.prior_weight;
  regularisation.prior = std::make_shared<const Statistic>(std::move(S_0));
  regularisation.prior_gauge = std::make_shared<const Parameters>(fitted.parameters);
  return regularisation;
}

Fitted assemble(const ModelFile& file) {
  const Entry& entry = find_entry(file.model);
  const ModelOptions options = options_of(file, entry);
  const Schema schema = schema_of(file, entry);
  // Before anything of the size that options and columns promise is made.
  check_complete(file.parameters, false, *entry.make(options, schema)->plan(schema).parameters);
  Fitted fitted = prepare(entry, options, schema);
  fill_whole(file.parameters, false, fitted.parameters);
  if (file.constants.empty()) {
    calibrate(*fitted.model, dense_block(nullptr, 0, fitted.schema.width()), fitted.parameters);
  } else {
    fill_whole(file.constants, true, fitted.parameters);
  }
  if (!file.statistics.empty()) {
    fitted.statistic.emplace(fitted.plan.statistic);
    fill_whole(file.statistics, false, *fitted.statistic);
    if (!(file.statistics_weight >= 0)) throw Error("the weight of its statistics is negative");
    fitted.statistic->weight = file.statistics_weight;
  }
  fitted.regularisation = regularisation_from(file.regularisation, fitted);
  fitted.training = file.training;
  return fitted;
}

}  // namespace

Fitted prepare(const Entry& entry, const ModelOptions& options, const Schema& schema) {
  Fitted fitted;
  fitted.entry = &entry;
  fitted.options = entry.complete(options);
  fitted.schema = schema;
  fitted.model = entry.make(fitted.options, schema);
  fitted.plan = fitted.model->plan(schema);
  fitted.parameters = Parameters(fitted.plan.parameters);
  return fitted;
}

ModelFile to_file(const Fitted& fitted) {
  ModelFile file;
  file.model = fitted.entry->name;
  file.options = fitted.options.values();
  file.columns = fitted.schema.columns;
  for (std::size_t j = 0; j < fitted.schema.width(); ++j)
    if (fitted.schema.categorical(j)) file.levels[file.columns[j]] = fitted.schema.levels[j];
  file.parameters = arrays_of(fitted.parameters);
  file.constants = arrays_of(fitted.parameters, true);
  if (fitted.statistic) {
    file.statistics = arrays_of(*fitted.statistic);
    file.statistics_weight = fitted.statistic->weight;
  }
  file.regularisation = regularisation_record(fitted);
  file.training = fitted.training;
  return file;
}

Fitted from_file(const ModelFile& file, const std::string& where) {
  try {
    return assemble(file);
  } catch (const Error& error) {
    throw Error(where + ": not a usable model file: " + error.message());
  }
}

void write_fitted(const std::string& path, const Fitted& fitted) {
  write_model_file(path, to_file(fitted));
}

Fitted read_fitted(const std::string& path) { return from_file(read_model_file(path), path); }

}  // namespace thalweg
