#include "detect.hpp"
#include "jsonl.hpp"
#include "npy.hpp"
#include "sparse.hpp"
#include <thalweg/core/error.hpp>
#include <thalweg/sources/csv.hpp>
#include <thalweg/sources/table_source.hpp>

#include <algorithm>

namespace thalweg {
namespace {

[[noreturn]] void refuse_mixture(const std::string& file, const std::string& format,
                                 const std::string& first, const std::string& first_format) {
  throw Error(file + " looks like " + format + ", " + first + " like " + first_format +
              " (files read together need one format; --format says which)");
}

/// The format that all files share. csv and tsv go together: each file has its own delimiter.
std::string format_of(const std::vector<std::string>& files, const TableOptions& options) {
  const auto is_text = [](const std::string& format) { return format == "csv" || format == "tsv"; };
  const std::string first = detect_file(files.front(), options.stop).format;
  std::string all = first;
  for (std::size_t i = 1; i < files.size(); ++i) {
    const std::string format = detect_file(files[i], options.stop).format;
    if (format == first) continue;
    if (!is_text(format) || !is_text(first)) refuse_mixture(files[i], format, files.front(), first);
    all = "csv";
  }
  return all;
}

/// What only text with a word in each cell, or with lines, can tell.
void check_format(const std::string& format, const TableOptions& options) {
  const bool words = format == "csv" || format == "tsv" || format == "jsonl";
  if (!words && (!options.categorical.empty() || options.all_categorical))
    throw UsageError("format " + format +
                     " holds numbers only: categorical columns need csv, tsv or jsonl");
  if (!words && !options.sequence_column.empty())
    throw UsageError("format " + format +
                     " has no column for sequences: they need csv, tsv or jsonl");
  if (format == "npy" && options.blank_line_sequences)
    throw UsageError("format npy has no blank lines to separate sequences");
}

}  // namespace

std::unique_ptr<TableSource> open_table(const std::vector<std::string>& files,
                                        const TableOptions& options) {
  std::vector<std::string> found = expand_names(files);
  if (found.empty()) found.emplace_back("-");
  const std::vector<std::string>& formats = table_formats();
  if (!options.format.empty() &&
      std::find(formats.begin(), formats.end(), options.format) == formats.end())
    throw UsageError("format \"" + options.format +
                     "\" is unknown, expected csv, tsv, npy, jsonl, docs or libsvm");
  const std::string format = options.format.empty() ? format_of(found, options) : options.format;
  check_format(format, options);
  if (format == "npy") return std::make_unique<NpySource>(found, options);
  if (format == "jsonl") return std::make_unique<JsonlSource>(found, options);
  if (format == "docs" || format == "libsvm")
    return std::make_unique<SparseSource>(found, options, format == "docs");
  TableOptions chosen = options;
  if (!chosen.delimiter && format == "tsv") chosen.delimiter = '\t';
  return std::make_unique<CsvSource>(found, chosen);
}

}  // namespace thalweg
