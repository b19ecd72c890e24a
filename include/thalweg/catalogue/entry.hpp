// What the catalogue knows of a model: enough for the command line, the laws, model files and documentation.
#pragma once

#include <thalweg/catalogue/option.hpp>
#include <thalweg/core/model.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg {

struct ParameterInfo {
  std::string name;     // "rates"
  std::string shape;    // "K × d"
  std::string meaning;  // "mean count of each component in each column"
};

/// Values of options by name, as text.
class THALWEG_API ModelOptions {
 public:
  ModelOptions() = default;
  ModelOptions(std::initializer_list<std::pair<const std::string, std::string>> values)
      : values_(values) {}

  void set(std::string_view name, std::string value) {
    values_[std::string(name)] = std::move(value);
  }
  const std::string& text(std::string_view name) const;  // the option must have a value
  std::size_t count(std::string_view name) const;
  const std::map<std::string, std::string>& values() const { return values_; }

 private:
  std::map<std::string, std::string> values_;
};

/// A truth from which the model can simulate its own test data: three components, asymmetric and overlapping, or loadings without
/// symmetry.
struct Example {
  std::string
      name;  // which of the entry's kinds it shows ("full"); empty where there is one kind only
  ModelOptions options;
  Schema schema;
  Parameters truth;
};

struct THALWEG_API Entry {
  std::string name;             // "poisson"
  std::string summary;          // one line
  std::string density;          // in plain text mathematics
  std::vector<Option> options;  // counts from 1 on, and choices
  std::vector<ParameterInfo> parameters;
  bool takes_missing = false;
  bool takes_counts_only = false;
  bool takes_positive_only = false;
  bool takes_categories = false;  // every column is categorical; else every column is numeric
  bool takes_sequences = false;   // the order of rows within a sequence means something
  std::function<std::shared_ptr<const Model>(const ModelOptions&, const Schema&)> build;
  std::function<std::vector<Example>()>
      examples;  // one for each kind of model that the options make

  /// The option of that name, null where the model has none.
  const Option* option(std::string_view wanted) const;
  bool has_components() const { return option("components") != nullptr; }

  /// What -k 1:9 or -r 1:9 compares: the number of components, or of factors.
  const Option& size() const;

  /// The model for these options and columns: unknown names, values out of range and missing ones are UsageErrors, and so
  /// are columns that it does not take.
  std::shared_ptr<const Model> make(const ModelOptions& given, const Schema& schema) const;
  /// The given options, checked, and the defaults of the others.
  ModelOptions complete(const ModelOptions& given) const;
};

}  // namespace thalweg
