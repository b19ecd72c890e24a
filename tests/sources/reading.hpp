// What the tests of sources share: all rows of a source, temporary files, and the text of an Error.
#pragma once

#include <thalweg/core/error.hpp>
#include <thalweg/core/source.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

namespace thalweg {

using Rows = std::vector<std::vector<double>>;

/// The rows that are left, and, behind their data, the weights where there are some.
inline Rows read_all(Source& source) {
  Rows rows;
  Block block;
  std::optional<std::uint64_t> follows;
  while (source.next(block)) {
    EXPECT_GT(block.rows, 0U);
    EXPECT_EQ(block.columns, source.schema().width());
    EXPECT_EQ(block.first, follows.value_or(block.first));
    follows = block.first + block.rows;
    for (std::size_t t = 0; t < block.rows; ++t) {
      rows.emplace_back(block.row(t), block.row(t) + block.columns);
      if (block.side.weight) rows.back().push_back(block.side.weight[t]);
    }
  }
  EXPECT_FALSE(source.next(block)) << "an ended source stays ended";
  return rows;
}

/// The message of the Error that `action` throws; it must be one line.
template <class Action>
std::string error_of(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    const std::string what = error.what();
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    return what;
  }
  return "(no error)";
}

/// A file of the test's own, removed at the end.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content, const std::string& ending = ".csv") {
    static int count = 0;
    path_ = testing::TempDir() + "thalweg-" + std::to_string(::getpid()) + "-" +
            std::to_string(count++) + ending;
    std::ofstream(path_, std::ios::binary) << content;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::remove(path_.c_str()); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace thalweg
