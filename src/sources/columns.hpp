// Which columns of a table are the data, and which are weight and label, whatever its format.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace thalweg {

struct TableOptions;

/// More are refused: a header can ask for any number, and names and rows take memory.
inline constexpr std::size_t most_columns = 1U << 20U;

/// What a table says of its columns.
struct Columns {
  const std::string& source;                      // for messages
  const std::vector<std::string>& names;          // all of them, in order
  bool named = true;                              // the names are the file's own, not c0, c1, …
  std::function<bool(std::size_t)> is_text = {};  // none: all are numeric
  std::optional<std::size_t> label_only = {};     // never data: the label in front of a sparse row
};

struct PickedColumns {
  std::vector<std::size_t> data;
  std::optional<std::size_t> weight;
  std::optional<std::size_t> label;
  std::optional<std::size_t> sequence;
  std::vector<bool> categorical;                 // of each data column
  std::vector<std::vector<std::string>> levels;  // of each data column, as far as they are known
  std::vector<std::string> text;  // names of those left out because they are not numeric
};

PickedColumns pick_columns(const Columns& columns, const TableOptions& options);

}  // namespace thalweg
