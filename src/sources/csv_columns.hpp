// Which columns of a text table are the data, and which are weight and label.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace thalweg {

class CsvReader;
struct TableOptions;

struct CsvColumns {
  std::vector<std::size_t> data;
  std::optional<std::size_t> weight;
  std::optional<std::size_t> label;
  std::vector<std::string> text;  // names of those left out because they are not numeric
};

CsvColumns choose_columns(CsvReader& reader, const TableOptions& options);

}  // namespace thalweg
