// Looks at the first two lines of a text: rows of "index:value" entries, and the line that stands before documents.
#include "sparse_beginning.hpp"

#include "core/text.hpp"
#include "lines.hpp"

#include <algorithm>
#include <vector>

namespace thalweg {
namespace {

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

/// "3 1:0.5 7:2": a label and at least one entry, nothing else, on the first line. The last word of a cut line may be
/// incomplete.
bool begins_with_row(std::string_view text) {
  const std::size_t end = text.find('\n');
  std::vector<std::string_view> words = words_of(text.substr(0, end));
  if (end == std::string_view::npos && words.size() > 2) words.pop_back();
  if (words.size() < 2 || !to_number(words[0].substr(words[0].starts_with('+') ? 1 : 0)))
    return false;
  return std::all_of(words.begin() + 1, words.end(), [](std::string_view word) {
    const std::size_t colon = word.find(':');
    return colon != std::string_view::npos && to_count(word.substr(0, colon)) &&
           to_number(word.substr(colon + 1));
  });
}

bool is_announcement(std::string_view line) {
  const std::vector<std::string_view> words = words_of(line);
  return words.size() == 3 && std::all_of(words.begin(), words.end(), [](std::string_view word) {
           return to_count(word).has_value();
         });
}

}  // namespace

bool is_libsvm(std::string_view beginning) { return begins_with_row(first_text(beginning)); }

bool is_documents(std::string_view beginning) {
  const std::string_view text = first_text(beginning);
  const std::size_t end = text.find('\n');
  return end != std::string_view::npos && is_announcement(text.substr(0, end)) &&
         begins_with_row(text.substr(end + 1));
}

std::optional<std::uint64_t> documents_told(std::string_view first_line) {
  return to_count(first_line.substr(0, first_line.find(' ')));
}

}  // namespace thalweg
