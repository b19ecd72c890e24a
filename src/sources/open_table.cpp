// Opens files as the table of formats says: one format for all of them, by name, ending or content.
#include "detect.hpp"
#include <thalweg/core/error.hpp>
#include <thalweg/sources/table_source.hpp>

#include <algorithm>

namespace thalweg {
namespace {

[[noreturn]] void refuse_mixture(const std::string& file, const Format& format,
                                 const std::string& first, const Format& first_format) {
  throw Error(file + " looks like " + std::string(format.name) + ", " + first + " like " +
              std::string(first_format.name) + " (files read together need one format; " +
              option("format") + " says which)");
}

/// Reads files with different delimiters: it looks for that of each file.
const Format& of_any_delimiter() {
  return *std::ranges::find_if(formats(),
                               [](const Format& format) { return format.delimiters.size() > 1; });
}

/// The format that all files share. Those with delimiters go together: each file has its own.
const Format& format_of(const std::vector<std::string>& files, const TableOptions& options) {
  const Format& first = *detect_file(files.front(), options.stop).format;
  const Format* all = &first;
  for (std::size_t i = 1; i < files.size(); ++i) {
    const Format& format = *detect_file(files[i], options.stop).format;
    if (&format == &first) continue;
    if (format.delimiters.empty() || first.delimiters.empty())
      refuse_mixture(files[i], format, files.front(), first);
    all = &of_any_delimiter();
  }
  return *all;
}

/// What only text with a word in each cell, or with lines, can tell.
void check_format(const Format& format, const TableOptions& options) {
  const std::string subject = "format " + std::string(format.name);
  const auto words = [] { return format_list([](const Format& each) { return each.words; }); };
  if (!format.words && (!options.categorical.empty() || options.all_categorical))
    throw UsageError(subject + " holds numbers only: categorical columns need " + words());
  if (!format.words && !options.sequence_column.empty())
    throw UsageError(subject + " has no column for sequences: they need " + words());
  if (!format.lines && options.blank_line_sequences)
    throw UsageError(subject + " has no blank lines to separate sequences");
}

}  // namespace

std::unique_ptr<TableSource> open_table(const std::vector<std::string>& files,
                                        const TableOptions& options) {
  std::vector<std::string> found = expand_names(files);
  if (found.empty()) found.emplace_back("-");
  const Format& format =
      options.format.empty() ? format_of(found, options) : format_named(options.format);
  check_format(format, options);
  return format.open(found, options);
}

}  // namespace thalweg
