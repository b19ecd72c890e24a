#include "detect.hpp"

#include "bytes.hpp"
#include "npy_header.hpp"
#include "unpack.hpp"
#include <thalweg/core/error.hpp>
#include <thalweg/core/text.hpp>

#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace thalweg {
namespace {

constexpr std::size_t look_bytes = 1U << 12U;

constexpr std::array<std::pair<std::string_view, std::string_view>, 8> endings = {{
    {".csv", "csv"},
    {".tsv", "tsv"},
    {".npy", "npy"},
    {".jsonl", "jsonl"},
    {".ndjson", "jsonl"},
    {".docs", "docs"},
    {".libsvm", "libsvm"},
    {".svm", "libsvm"},
}};

std::string_view by_ending(std::string_view path) {
  for (const std::string_view packed : {".gz", ".zst"})
    if (path.ends_with(packed)) path.remove_suffix(packed.size());
  for (const auto& [ending, format] : endings)
    if (path.ends_with(ending)) return format;
  return {};
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (;;) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
    if (line.empty()) return words;
    const std::size_t end = std::min(line.find_first_of(" \t\r"), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

/// "3 1:0.5 7:2": a label and at least one entry, nothing else. The last word may be cut off.
bool is_sparse_row(std::string_view line, bool whole) {
  std::vector<std::string_view> words = words_of(line);
  if (!whole && words.size() > 2) words.pop_back();
  if (words.size() < 2 || !to_number(words[0].substr(words[0].starts_with('+') ? 1 : 0)))
    return false;
  return std::all_of(words.begin() + 1, words.end(), [](std::string_view word) {
    const std::size_t colon = word.find(':');
    return colon != std::string_view::npos && to_count(word.substr(0, colon)) &&
           to_number(word.substr(colon + 1));
  });
}

bool is_documents_header(std::string_view line) {
  const std::vector<std::string_view> words = words_of(line);
  return words.size() == 3 && std::all_of(words.begin(), words.end(), [](std::string_view word) {
           return to_count(word).has_value();
         });
}

std::string_view by_content(std::string_view text) {
  if (text.starts_with(npy_magic)) return "npy";
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return "csv";
  text.remove_prefix(begin);
  if (text.front() == '{' || text.front() == '[') return "jsonl";
  const std::size_t end = text.find('\n');
  const std::string_view first = text.substr(0, end);
  if (is_sparse_row(first, end != std::string_view::npos)) return "libsvm";
  if (end == std::string_view::npos || !is_documents_header(first)) return "csv";
  const std::string_view rest = text.substr(end + 1);
  const std::size_t second = rest.find('\n');
  return is_sparse_row(rest.substr(0, second), second != std::string_view::npos) ? "docs" : "csv";
}

bool is_pattern(const std::string& name) { return name.find_first_of("*?[") != std::string::npos; }

}  // namespace

const std::vector<std::string>& table_formats() {
  static const std::vector<std::string> names = {"csv", "tsv", "npy", "jsonl", "docs", "libsvm"};
  return names;
}

FileKind detect_file(const std::string& file, const std::function<bool()>& stop) {
  const Input input = find_input(file);
  const auto [text, packing] = peek(input, look_bytes, stop);
  const std::string_view ending = by_ending(file);
  return {.format = std::string(ending.empty() ? by_content(text) : ending),
          .packing = packing == Packing::gzip   ? "gzip"
                     : packing == Packing::zstd ? "zstd"
                                                : "none",
          .beginning = text.substr(0, text.find('\n'))};
}

std::vector<std::string> expand_names(const std::vector<std::string>& names) {
  std::vector<std::string> files;
  for (const std::string& name : names) {
    if (!is_pattern(name) || ::access(name.c_str(), F_OK) == 0) {
      files.push_back(name);
      continue;
    }
    glob_t found{};
    const int answer = ::glob(name.c_str(), 0, nullptr, &found);
    if (answer == 0) files.insert(files.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
    ::globfree(&found);
    if (answer != 0) throw Error(name + ": no file matches");
  }
  return files;
}

}  // namespace thalweg
