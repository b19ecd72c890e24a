// The formats of tables, a row for each: what it is called, how it is recognised, what it can hold and who reads it.
#pragma once

#include <thalweg/sources/table_source.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg {

struct Format {
  std::string_view name;
  std::vector<std::string_view> endings;  // of file names; each may have .gz or .zst behind it

  /// Whether a file with this beginning, unpacked and perhaps cut off, is one; null: content does not tell.
  bool (*recognise)(std::string_view beginning) = nullptr;

  /// Characters that may stand between fields: of several the file shows which. Formats that have some can be read together.
  std::string_view delimiters = {};

  bool words = false;   // a cell may be a word: categorical columns, and one that names sequences
  bool lines = true;    // a row is a line, so blank ones can separate sequences
  bool sparse = false;  // rows are mostly zeros, and begin with a label

  /// How many rows there are, where the first line says so; null: it never does.
  std::optional<std::uint64_t> (*rows_told)(std::string_view first_line) = nullptr;

  /// `files` is not empty and has no patterns in it.
  std::unique_ptr<TableSource> (*open)(const std::vector<std::string>& files,
                                       const TableOptions& options);
};

/// All of them. The first is that of a file which nobody recognises.
THALWEG_API const std::vector<Format>& formats();

THALWEG_API const Format& format_named(std::string_view name);  // an unknown one is a UsageError

THALWEG_API std::vector<std::string> format_names();

/// "csv, tsv or jsonl": those that `which` takes, for messages and help.
THALWEG_API std::string format_list(bool (*which)(const Format& format) = nullptr);

}  // namespace thalweg
