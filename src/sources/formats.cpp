// The table of formats; a new one is a row here, and the file of its reader.
#include "formats.hpp"

#include "jsonl.hpp"
#include "npy.hpp"
#include "sparse.hpp"
#include "sparse_beginning.hpp"
#include <thalweg/core/error.hpp>
#include <thalweg/sources/csv.hpp>

#include <algorithm>

namespace thalweg {
namespace {

using Files = std::vector<std::string>;
using Opened = std::unique_ptr<TableSource>;

Opened open_tsv(const Files& files, const TableOptions& options) {
  TableOptions chosen = options;
  if (!chosen.delimiter) chosen.delimiter = '\t';
  return std::make_unique<CsvSource>(files, chosen);
}

template <class Reader>
Opened open_with(const Files& files, const TableOptions& options) {
  return std::make_unique<Reader>(files, options);
}

template <bool documents>
Opened open_sparse(const Files& files, const TableOptions& options) {
  return std::make_unique<SparseSource>(files, options, documents);
}

}  // namespace

const std::vector<Format>& formats() {
  static const std::vector<Format> all = {
      {.name = "csv",
       .endings = {".csv"},
       .delimiters = ",;\t|",
       .words = true,
       .open = open_with<CsvSource>},
      {.name = "tsv", .endings = {".tsv"}, .delimiters = "\t", .words = true, .open = open_tsv},
      {.name = "npy",
       .endings = {".npy"},
       .recognise = [](std::string_view beginning) { return beginning.starts_with(npy_magic); },
       .lines = false,
       .open = open_with<NpySource>},
      {.name = "jsonl",
       .endings = {".jsonl", ".ndjson"},
       .recognise = is_jsonl,
       .words = true,
       .open = open_with<JsonlSource>},
      {.name = "docs",
       .endings = {".docs"},
       .recognise = is_documents,
       .sparse = true,
       .rows_told = documents_told,
       .open = open_sparse<true>},
      {.name = "libsvm",
       .endings = {".libsvm", ".svm"},
       .recognise = is_libsvm,
       .sparse = true,
       .open = open_sparse<false>},
  };
  return all;
}

const Format& format_named(std::string_view name) {
  const auto found = std::ranges::find(formats(), name, &Format::name);
  if (found == formats().end())
    throw UsageError("format \"" + std::string(name) + "\" is unknown, expected " + format_list());
  return *found;
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Format& format : formats()) names.emplace_back(format.name);
  return names;
}

std::string format_list(bool (*which)(const Format& format)) {
  std::vector<std::string_view> names;
  for (const Format& format : formats())
    if (!which || which(format)) names.push_back(format.name);
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) list += i + 1 < names.size() ? ", " : " or ";
    list += names[i];
  }
  return list;
}

}  // namespace thalweg
