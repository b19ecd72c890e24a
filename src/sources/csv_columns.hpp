// Which columns of a text table are the data, and which are weight and label.
#pragma once

#include "csv_part.hpp"

#include <string>
#include <vector>

namespace thalweg {

class CsvReader;
struct TableOptions;

struct CsvColumns {
  CsvLayout layout;
  std::vector<std::string> text;  // names of those left out because they are not numeric
};

CsvColumns choose_columns(CsvReader& reader, const TableOptions& options);

}  // namespace thalweg
