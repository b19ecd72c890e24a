// Counts or throws what cannot be read, with the words that all formats beside CSV share.
#include "fault_rule.hpp"

#include "cell.hpp"
#include <thalweg/core/error.hpp>

#include <limits>

namespace thalweg {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

Verdict FaultRule::cell(const std::string& kind, const Message& message, const Message& fix) {
  if (on_error_ == OnError::stop) throw Error(message, {fix});
  const bool lost = on_error_ == OnError::skip;
  faults_.add(kind, message.text(), lost);
  return lost ? Verdict::row_lost : Verdict::missing;
}

Verdict FaultRule::row(const std::string& kind, const Message& message, const Message& fix) {
  if (on_error_ == OnError::stop) throw Error(message, {fix});
  faults_.add(kind, message.text(), true);
  return Verdict::row_lost;
}

bool CellReader::refuse(const std::string& kind, std::string_view shown, std::size_t column,
                        const std::string& place, double& value) {
  value = nan;
  return rule_.cell(
             kind,
             place + ": column " + in_quotes(names_[column]) + ": " + in_quotes(shown) + " " + kind,
             option("on_error", "missing") + " takes it as missing, " + option("on_error", "skip") +
                 " leaves the row out") == Verdict::missing;
}

bool CellReader::not_a_number(std::string_view shown, std::size_t column, const std::string& place,
                              double& value) {
  return refuse("is not a number", shown, column, place, value);
}

bool CellReader::out_of_range(std::string_view shown, std::size_t column, const std::string& place,
                              double& value) {
  return refuse("is out of the range of numbers", shown, column, place, value);
}

bool CellReader::data(std::string_view shown, std::size_t column, const std::string& place,
                      double& value) {
  const Cell cell = read_cell(shown);
  value = cell.value;
  if (cell.kind == Cell::Kind::text) return not_a_number(shown, column, place, value);
  if (cell.kind == Cell::Kind::out_of_range) return out_of_range(shown, column, place, value);
  return true;
}

bool CellReader::weight(std::string_view shown, std::size_t column, const std::string& place,
                        double& value) {
  const Cell cell = read_cell(shown);
  value = cell.value;
  if (cell.kind == Cell::Kind::number && cell.value >= 0) return true;
  rule_.row("is not a weight",
            place + ": weight column " + in_quotes(names_[column]) + ": " + in_quotes(shown) +
                " is not a weight, expected a number from 0 on",
            "correct the cell, or " + option("on_error", "skip") + " leaves the row out");
  return false;
}

bool CellReader::label(std::string_view shown, std::size_t column, const std::string& place,
                       double& value) {
  value = nan;
  if (read_cell(shown).kind == Cell::Kind::missing) return true;
  try {
    value = static_cast<double>(labels_.component(without_spaces_around(shown)));
    return true;
  } catch (const Error& error) {
    rule_.row("is not a label",
              place + ": label column " + in_quotes(names_[column]) + ": " + in_quotes(shown) +
                  " " + error.message(),
              option("on_error", "skip") + " leaves the row out");
    return false;
  }
}

}  // namespace thalweg
