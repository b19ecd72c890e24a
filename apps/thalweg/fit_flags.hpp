// The flags of `fit`, made from the table of options, and what they mean to the library.
#pragma once

#include "catalogue/option_values.hpp"
#include "input.hpp"
#include <thalweg/catalogue/catalogue.hpp>
#include <thalweg/estimators/fit.hpp>
#include <thalweg/sources/reordered.hpp>

#include <CLI/CLI.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace thalweg::app {

/// -k 3 or -r 3, or -k 1:9 to compare.
struct Range {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  bool several() const { return last > first; }
};

/// The values of the table's options of learning and telling; those of reading are in `input`, those of models in `model_options`.
struct FitFlags : OptionValues {
  InputFlags input;
  std::map<std::string, std::string> model_options;  // by option name; only those given

  void add(CLI::App& verb);

  /// All but the regularisation, which depends on the model.
  FitOptions options() const;

  /// What decides about the result, a line each: a checkpoint belongs to them.
  std::vector<std::string> settings() const;
  std::uint64_t threads() const;
  Order row_order() const;  // one pass follows the rows, several visit them in orders of their own
  bool steps() const;       // the method learns mini-batches as they come
  std::optional<Range> size(const Entry& entry) const;  // nothing when -k (or -r) was not given
};

}  // namespace thalweg::app
