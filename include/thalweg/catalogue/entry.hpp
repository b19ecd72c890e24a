// What the catalogue knows of a model: enough for the command line, the laws, model files and documentation.
#pragma once

#include <thalweg/catalogue/option.hpp>
#include <thalweg/core/layout.hpp>
#include <thalweg/core/model.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg {

class Parts;
struct NamedArray;

/// What of a row is not seen: of which component it is, in which state its sequence is, or how large its factors are.
enum class Latent { components, states, factors };

/// The same model in Python.
struct EntryInPython {
  std::string name = {};    // of its class; empty: made of the model's, PoissonMixture
  std::string method = {};  // its default; empty: as the table of options says
};

struct ParameterInfo {
  std::string name;     // "rates"
  std::string shape;    // "K × d"
  std::string meaning;  // "mean count of each component in each column"
  OnlyWith only = {};   // else it is there whatever the options
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
  Latent latent = Latent::components;
  bool takes_missing = false;
  bool takes_counts_only = false;
  bool takes_positive_only = false;
  bool takes_categories = false;  // every column is categorical; else every column is numeric
  bool takes_sequences = false;   // the order of rows within a sequence means something
  bool in_python = true;          // has a class there
  std::function<std::shared_ptr<const Model>(const ModelOptions&, const Schema&)> build;
  std::function<std::vector<Example>()>
      examples;                                  // one for each kind of model that the options make
  std::shared_ptr<const Parts> parts = nullptr;  // marginals and conditionals, where it has them
  EntryInPython python = {};
  /// What parameters tell by their shapes of an option that is no size, where a model file leaves it out.
  std::function<std::optional<std::string>(std::string_view option,
                                           const std::vector<NamedArray>& parameters)>
      option_from = nullptr;
  /// Parameters of the first example, set by the catalogue: which are by component, which by column, what they mean.
  Layout layout = {};

  /// The option of that name, null where the model has none.
  const Option* option(std::string_view wanted) const;
  /// Rows are of components, or states: there are posteriors.
  bool has_components() const { return latent != Latent::factors; }

  /// What -k 1:9 or -r 1:9 compares: the number of components, or of factors. A model without one is a UsageError.
  const Option& size() const;
  bool has_size() const;

  /// The model for these options and columns: unknown names, values out of range and missing ones are UsageErrors, and so
  /// are columns that it does not take.
  std::shared_ptr<const Model> make(const ModelOptions& given, const Schema& schema) const;
  /// The given options, checked, and the defaults of the others that mean something beside them.
  ModelOptions complete(const ModelOptions& given) const;
};

}  // namespace thalweg
