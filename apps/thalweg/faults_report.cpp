// Rows that were left out or mended, in words.
#include "faults_report.hpp"

#include <fmt/format.h>

namespace thalweg::app {
namespace {

std::string counted(std::uint64_t count, const std::string& what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

std::string faults_text(const Faults& faults, std::uint64_t used) {
  if (faults.empty()) return "";
  const std::uint64_t lost = faults.rows_skipped();
  std::string text = "warning: ";
  if (lost > 0) text += fmt::format("skipped {} of {}", lost, counted(used + lost, "row"));
  if (faults.cells_missing() > 0)
    text += fmt::format("{}took {} as missing", lost > 0 ? ", " : "",
                        counted(faults.cells_missing(), "cell"));
  std::string before = ": ";
  for (const auto& [kind, count] : faults.kinds()) {
    text +=
        fmt::format("{}{} × {}", before, count, kind.starts_with("is ") ? kind.substr(3) : kind);
    before = ", ";
  }
  text += faults.first().size() == 1 ? "; it was\n" : "; the first were\n";
  for (const std::string& message : faults.first()) text += "  " + message + "\n";
  return text;
}

std::string unknown_levels_text(const UnknownLevels& unknown) {
  std::string text;
  for (const auto& column : unknown.columns())
    text += fmt::format(
        "warning: {} of column {} held levels the model has not seen ({}{}): taken as missing\n",
        counted(column.cells, "cell"), column.name, fmt::join(column.first, ", "),
        column.first.size() == UnknownLevels::shown ? ", …" : "");
  return text;
}

Json unknown_levels_json(const UnknownLevels& unknown) {
  if (unknown.cells() == 0) return nullptr;
  Json json = Json::object();
  for (const auto& column : unknown.columns())
    json[column.name] = {{"cells", column.cells}, {"first", column.first}};
  return json;
}

Json faults_json(const Faults& faults) {
  if (faults.empty()) return nullptr;
  return {{"rows_skipped", faults.rows_skipped()},
          {"cells_missing", faults.cells_missing()},
          {"kinds", faults.kinds()},
          {"first", faults.first()}};
}

}  // namespace thalweg::app
