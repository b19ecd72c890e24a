// Reads tables that the tests of CsvSource write as text.
#pragma once

#include "reading.hpp"
#include <thalweg/sources/csv.hpp>

#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace thalweg {

inline constexpr double missing = std::numeric_limits<double>::quiet_NaN();

struct Content {
  std::vector<std::string> columns;
  Rows rows;
};

inline Content read_text(const std::string& text, TableOptions options = {}) {
  std::istringstream in(text);
  CsvSource source(in, std::move(options), "data.csv");
  Rows rows = read_all(source);
  return {source.schema().columns, std::move(rows)};
}

inline std::string error_in(const std::string& text, const TableOptions& options = {}) {
  return error_of([&] { read_text(text, options); });
}

/// Missing equals missing.
inline void expect_rows(const Rows& found, const Rows& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t t = 0; t < found.size(); ++t) {
    ASSERT_EQ(found[t].size(), expected[t].size()) << "row " << t;
    for (std::size_t j = 0; j < found[t].size(); ++j) {
      if (expected[t][j] != expected[t][j]) {
        EXPECT_NE(found[t][j], found[t][j]) << "row " << t << ", column " << j;
      } else {
        EXPECT_EQ(found[t][j], expected[t][j]) << "row " << t << ", column " << j;
      }
    }
  }
}

}  // namespace thalweg
