// Collects the levels of categorical columns, and refuses what looks like an id or free text.
#include "level_search.hpp"

#include "cell.hpp"
#include <thalweg/core/error.hpp>
#include <thalweg/sources/levels.hpp>

#include <algorithm>
#include <utility>

namespace thalweg {

namespace {

/// Known levels that no cell could have, or that two names would share.
Dictionary dictionary_of(const std::string& column, const std::vector<std::string>& levels) {
  Dictionary dictionary;
  const auto refuse = [&](const std::string& level, const std::string& why) {
    throw UsageError("levels of column " + in_quotes(column) + ": " + in_quotes(level) + why);
  };
  for (const std::string& level : levels) {
    if (level_in(level).empty()) refuse(level, " means a missing cell");
    if (level_in(level) != level) refuse(level, " has spaces around it, which cells have not");
    if (printable(level) != level) refuse(level, " has a line end or the like in it");
    if (!dictionary.add(level)) refuse(level, " is there twice");
  }
  if (levels.size() > most_levels)
    throw UsageError("levels of column " + in_quotes(column) + ": more than " +
                     std::to_string(most_levels));
  return dictionary;
}

}  // namespace

LevelSearch::LevelSearch(std::string source, const std::vector<std::string>& names,
                         const PickedColumns& picked)
    : source_(std::move(source)), categorical_(picked.categorical) {
  for (std::size_t i = 0; i < picked.data.size(); ++i) {
    names_.push_back(names[picked.data[i]]);
    open_.push_back(picked.categorical[i] && picked.levels[i].empty());
    found_.push_back(dictionary_of(names_.back(), picked.levels[i]));
  }
}

bool LevelSearch::needed() const { return std::ranges::find(open_, true) != open_.end(); }

void LevelSearch::add(std::size_t column, std::string_view cell) {
  const std::string_view level = level_in(cell);
  if (level.empty() || !found_[column].add(level)) return;
  if (printable(level) != level)
    throw Error(source_ + ": column " + in_quotes(names_[column]) + ": the level " +
                in_quotes(level) +
                " has a line end or the like in it, expected words (leave the "
                "column out, it looks like free text)");
  if (found_[column].names().size() > most_levels)
    throw Error(source_ + ": column " + in_quotes(names_[column]) + " has more than " +
                std::to_string(most_levels) +
                " levels: it looks like an id or free text (leave it out)");
}

std::vector<Dictionary> LevelSearch::finish(bool whole) {
  for (std::size_t i = 0; i < names_.size(); ++i)
    if (categorical_[i] && found_[i].names().empty())
      throw Error(
          source_ + ": column " + in_quotes(names_[i]) + " has no level, all its cells" +
              (whole ? "" : " in the first " + std::to_string(level_sample_rows) + " rows") +
              " are missing",
          {"leave it out", "give " + option("levels", printable(names_[i]) + "=A|B")});
  return std::move(found_);
}

std::string_view level_in(std::string_view cell) {
  cell = without_spaces_around(cell);
  return is_missing(cell) ? std::string_view() : cell;
}

Message level_advice(const std::string& column, const Dictionary& levels, std::string_view level) {
  constexpr std::size_t listed = 12;
  std::string known = printable(column) + "=";
  for (std::size_t l = 0; l < std::min(levels.names().size(), listed); ++l)
    known += levels.names()[l] + "|";
  if (levels.names().size() > listed) known += "…|";
  return "give " + option("levels", known + printable(level));
}

std::vector<std::vector<std::string>> levels_of(const std::vector<Dictionary>& dictionaries) {
  std::vector<std::vector<std::string>> levels;
  levels.reserve(dictionaries.size());
  for (const Dictionary& dictionary : dictionaries) levels.push_back(dictionary.names());
  const bool any = std::ranges::any_of(levels, [](const auto& names) { return !names.empty(); });
  return any ? levels : std::vector<std::vector<std::string>>{};
}

}  // namespace thalweg
