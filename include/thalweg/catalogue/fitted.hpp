// A model with its parameters, as it goes into a model file and comes back.
#pragma once

#include <thalweg/catalogue/catalogue.hpp>
#include <thalweg/catalogue/model_file.hpp>
#include <thalweg/core/regularisation.hpp>
#include <thalweg/export.hpp>

#include <memory>
#include <optional>
#include <string>

namespace thalweg {

struct Fitted {
  const Entry* entry = nullptr;
  ModelOptions options;
  Schema schema;
  std::shared_ptr<const Model> model;
  Plan plan;
  Parameters parameters;
  std::optional<Statistic> statistic;
  Regularisation regularisation =
      {};  // what the M-step from `statistic` to `parameters` was told; settled
  std::optional<Training> training;
};

/// A model of the catalogue on these columns, parameters still zero.
THALWEG_API Fitted prepare(const Entry& entry, const ModelOptions& options, const Schema& schema);

THALWEG_API ModelFile to_file(const Fitted& fitted);

/// Checks everything: names, shapes, finite numbers, weights that sum to 1, positive variances. A file that holds only
/// `model` and `parameters` is enough: options and columns are then read off the shapes.
THALWEG_API Fitted from_file(const ModelFile& file, const std::string& where);

THALWEG_API void write_fitted(const std::string& path, const Fitted& fitted);
THALWEG_API Fitted read_fitted(const std::string& path);

}  // namespace thalweg
