// What becomes of a row or cell that cannot be read, in the formats beside CSV.
#pragma once

#include <thalweg/core/message.hpp>
#include <thalweg/sources/table_source.hpp>

#include <string>
#include <vector>

namespace thalweg {

/// What a cell that cannot be read does to its row.
enum class Verdict { missing, row_lost };

/// Counts a fault, or throws it under OnError::stop. `message` tells place and content, `fix` what to do.
class FaultRule {
 public:
  explicit FaultRule(OnError on_error) : on_error_(on_error) {}

  /// A cell of the data: it may count as missing.
  Verdict cell(const std::string& kind, const Message& message, const Message& fix);
  /// A row that cannot be split, or a weight or label that cannot be read: the row is lost.
  Verdict row(const std::string& kind, const Message& message, const Message& fix);

  const Faults& faults() const { return faults_; }
  Faults& faults() { return faults_; }

 private:
  OnError on_error_;
  Faults faults_;
};

/// Cells as messages show them: `place` is "data.jsonl:17", `shown` the cell's text.
class CellReader {
 public:
  CellReader(FaultRule& rule, const std::vector<std::string>& names, Labels& labels)
      : rule_(rule), names_(names), labels_(labels) {}

  /// Each gives true when the row is still whole.
  bool data(std::string_view shown, std::size_t column, const std::string& place, double& value);
  bool weight(std::string_view shown, std::size_t column, const std::string& place, double& value);
  bool label(std::string_view shown, std::size_t column, const std::string& place, double& value);

  /// A cell that is known to hold no number.
  bool not_a_number(std::string_view shown, std::size_t column, const std::string& place,
                    double& value);
  bool out_of_range(std::string_view shown, std::size_t column, const std::string& place,
                    double& value);

 private:
  bool refuse(const std::string& kind, std::string_view shown, std::size_t column,
              const std::string& place, double& value);

  FaultRule& rule_;
  const std::vector<std::string>& names_;
  Labels& labels_;
};

}  // namespace thalweg
