// The dictionaries of a table's categorical columns: those that are known, and those that the rows tell.
#pragma once

#include "columns.hpp"
#include "dictionary.hpp"
#include <thalweg/core/message.hpp>
#include <thalweg/data/schema.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace thalweg {

struct TableOptions;

class LevelSearch {
 public:
  /// `source` is for messages.
  LevelSearch(std::string source, const std::vector<std::string>& names,
              const PickedColumns& picked);

  /// Levels of some columns have to be looked for.
  bool needed() const;
  bool open(std::size_t column) const { return open_[column]; }

  /// A cell of a data column that is open; missing ones say nothing. More than most_levels are an Error.
  void add(std::size_t column, std::string_view cell);

  const std::vector<Dictionary>& found() const { return found_; }

  /// A column without a level is an Error. `whole`: all rows were looked at.
  std::vector<Dictionary> finish(bool whole);

 private:
  std::string source_;
  std::vector<std::string> names_;  // of the data columns
  std::vector<bool> categorical_;
  std::vector<bool> open_;
  std::vector<Dictionary> found_;  // of the data columns
};

/// A cell's level as it stands in dictionaries; nothing where the cell is missing.
std::string_view level_in(std::string_view cell);

/// What to do about a level that is in none: give levels colour=red|green|teal.
Message level_advice(const std::string& column, const Dictionary& levels, std::string_view level);

/// The levels of a schema whose columns have these dictionaries; none where no column is categorical.
std::vector<std::vector<std::string>> levels_of(const std::vector<Dictionary>& dictionaries);

}  // namespace thalweg
