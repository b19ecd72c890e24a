// JSON lines: an object or an array of numbers on every line.
#pragma once

#include "json_line.hpp"
#include "line_table.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace thalweg {

/// The keys of the first line are the columns, in its order; a key that is not there, and null, are missing. Numbers, texts
/// that hold a number, and true and false (1 and 0) are numeric; other texts and nested values are text. Arrays have columns
/// c0, c1, …
class JsonlSource final : public LineTable {
 public:
  JsonlSource(const std::vector<std::string>& files, const TableOptions& options);
  ~JsonlSource() override;

  bool has_header() const override { return objects_; }

 private:
  bool take(const Line& line) override;
  bool lines_stand_alone() const override { return true; }
  void find_columns();
  void add_asked_columns();
  template <class Use>
  void for_sample(Use&& use);
  std::optional<std::size_t> column_of(std::size_t i) const;
  std::string arrange();
  void find_levels();
  std::string_view level_text(std::size_t column) const;

  std::unique_ptr<JsonLine> parser_;
  bool objects_ = true;
  std::unordered_map<std::string, std::size_t> columns_;
  std::vector<const JsonLine::Value*> values_by_column_;  // of the line under way; null: not there
  std::vector<double> row_;
};

/// It begins with an object or an array.
bool is_jsonl(std::string_view beginning);

}  // namespace thalweg
