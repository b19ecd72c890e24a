// Flags that say what to read, shared by the verbs that read rows.
#pragma once

#include "sources/places.hpp"
#include <thalweg/catalogue/entry.hpp>
#include <thalweg/core/model.hpp>
#include <thalweg/data/table.hpp>
#include <thalweg/sources/filtered.hpp>

#include <CLI/CLI.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace thalweg::app {

struct InputFlags {
  std::vector<std::string> files;
  std::vector<std::string> columns;
  std::vector<std::string> categorical;
  bool all_categorical = false;     // of a model that takes nothing else
  std::vector<std::string> levels;  // "colour=red|green|blue"
  std::string sequence;
  bool sequence_blank_lines = false;
  std::string weight_column;
  std::string label_column;
  LabelOptions labels;  // how labels become components
  std::string format;
  bool no_header = false;
  std::uint64_t threads = 1;  // for parsing beside the caller
  std::string on_error = "stop";
  std::uint64_t width = 0;
  bool follow = false;
  FilterOptions filter;

  void add(CLI::App& verb, bool learns);  // learns: picks columns, knows labels, may mix the rows
  void add_reading(CLI::App& verb);       // how to read, without what to do with it
  TableOptions options() const;
  std::vector<std::string> settings() const;  // what decides about the result, a line each
  std::unique_ptr<FilteredTable> open() const;

  /// Refuses sequences of a model that knows none, and what would tear those of a model of sequences apart.
  void check_sequences(const Entry& entry) const;
  /// Nothing says where one sequence ends: all rows belong together.
  bool one_sequence(const Entry& entry) const;

  /// The columns of a model, with its levels, by name; by position, with a note, where one side has no names.
  std::unique_ptr<FilteredTable> open_for(const Schema& schema, bool keep_text = false,
                                          bool quiet = false) const;
};

inline constexpr const char* one_sequence_note =
    "all rows are one sequence (--sequence COLUMN or --sequence-blank-lines separates several)";

/// "poisson, gaussian": those that do.
std::string models_that(bool Entry::*takes);

/// Reads all rows, each checked by the model, if they need no more than `limit` bytes.
std::optional<Table> read_all(Source& source, const Model& model, std::uint64_t limit);

}  // namespace thalweg::app
