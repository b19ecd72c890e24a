// Reads the CSV files named on stdin, all columns of each, and tells what was found: a line of JSON for each file.
#include <thalweg/core/error.hpp>
#include <thalweg/sources/csv.hpp>

#include <nlohmann/json.hpp>

#include <iostream>
#include <string>

namespace {

nlohmann::json read(const std::string& path) {
  thalweg::TableOptions options{
      .delimiter = ',', .header = true, .on_error = thalweg::OnError::missing, .keep_text = true};
  options.columns = {"#0"};
  options.columns = thalweg::csv(path, options).raw_header();
  thalweg::CsvSource source = thalweg::csv(path, options);
  nlohmann::json rows = nlohmann::json::array();
  nlohmann::json raw = nlohmann::json::array();
  for (const thalweg::Block& block : source)
    for (std::size_t t = 0; t < block.rows; ++t) {
      rows.push_back(std::vector<double>(block.row(t), block.row(t) + block.columns));
      raw.push_back(source.raw(t));
    }
  return {{"names", options.columns},
          {"rows", rows},
          {"raw", raw},
          {"skipped", source.faults().rows_skipped()},
          {"missing", source.faults().cells_missing()}};
}

}  // namespace

int main() {
  for (std::string path; std::getline(std::cin, path);) {
    try {
      std::cout << read(path).dump() << "\n";
    } catch (const thalweg::Error& error) {
      std::cout << nlohmann::json{{"error", error.what()}}.dump() << "\n";
    }
  }
}
