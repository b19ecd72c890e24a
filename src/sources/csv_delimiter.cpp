// Counts the candidates on the first two lines: the one that both have alike separates the fields.
#include "csv_delimiter.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace thalweg {
namespace {

constexpr std::string_view candidates = ",\t;|";

struct Line {
  std::array<std::size_t, candidates.size()> counts{};
  bool decimal_commas = true;  // every comma stands between digits
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Takes the first line that is not blank off the text; false when its end is not there.
bool take_line(std::string_view& text, bool whole, Line& line) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return false;
  text.remove_prefix(text.find_last_of("\r\n", begin) + 1);  // npos + 1 is 0
  line = {};
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const std::size_t which = candidates.find(c);
    if (c == '"' && (quoted || i == 0 || candidates.find(text[i - 1]) != std::string_view::npos ||
                     text[i - 1] == '"')) {
      quoted = !quoted;
    } else if (quoted) {
      continue;
    } else if (c == '\n' || c == '\r') {
      text.remove_prefix(i);
      return true;
    } else if (which != std::string_view::npos) {
      ++line.counts[which];
      if (c == ',' &&
          !(i > 0 && is_digit(text[i - 1]) && i + 1 < text.size() && is_digit(text[i + 1])))
        line.decimal_commas = false;
    }
  }
  text = {};
  return whole;
}

}  // namespace

std::optional<char> detect_delimiter(std::string_view text, bool whole) {
  Line first;
  if (!take_line(text, whole, first)) return whole ? std::optional(',') : std::nullopt;
  // Most tables are clear from their first line, and a pipe need not wait for a second.
  if (std::all_of(first.counts.begin() + 1, first.counts.end(), [](auto n) { return n == 0; }))
    return ',';
  Line second;
  if (!take_line(text, whole, second)) {
    if (!whole) return std::nullopt;
    second = first;
  }
  std::array<std::size_t, candidates.size()> votes{};
  for (std::size_t i = 0; i < candidates.size(); ++i)
    if (first.counts[i] == second.counts[i]) votes[i] = first.counts[i];
  const bool commas_are_points =
      votes[candidates.find(';')] > 0 && first.decimal_commas && second.decimal_commas;
  if (votes[0] > 0 && !commas_are_points) return ',';
  if (commas_are_points) return ';';
  return candidates[static_cast<std::size_t>(std::max_element(votes.begin(), votes.end()) -
                                             votes.begin())];
}

}  // namespace thalweg
