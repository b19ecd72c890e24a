// Reference data: shipped sets from examples/data, the others through THALWEG_DATA, with the starts that were recorded for them.
#pragma once

#include "source_tree.hpp"
#include "textbook.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

namespace reference {

/// The folder of a set; empty when it is not there.
inline std::filesystem::path folder(const std::string& set) {
  const char* root = std::getenv("THALWEG_DATA");
  if (!root || !*root) return {};
  std::filesystem::path path = std::filesystem::path(root) / set;
  return std::filesystem::exists(path / "reference.json") ? path : std::filesystem::path{};
}

inline std::string missing(const std::string& set) {
  return "the set " + set + " is not here: set THALWEG_DATA to a folder that holds it";
}

/// All lines of a CSV file, or of its .gz twin.
inline std::vector<std::string> lines(const std::filesystem::path& csv) {
  std::string text;
  if (std::filesystem::exists(csv)) {
    std::ifstream in(csv);
    text.assign(std::istreambuf_iterator<char>(in), {});
  } else {
    const std::string command = "zcat '" + csv.string() + ".gz'";
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
    std::array<char, 65536> part{};
    while (const std::size_t count = std::fread(part.data(), 1, part.size(), pipe.get()))
      text.append(part.data(), count);
  }
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) out.push_back(line);
  return out;
}

inline std::vector<std::string> cells(const std::string& line) {
  std::vector<std::string> out;
  std::istringstream in(line);
  for (std::string cell; std::getline(in, cell, ',');) out.push_back(cell);
  return out;
}

/// The columns first … last of a CSV file (no cell of these sets is quoted), by name or by number from 0.
inline textbook::Data columns(const std::filesystem::path& csv, std::size_t first,
                              std::size_t last) {
  textbook::Data data;
  const auto text = lines(csv);
  for (std::size_t i = 1; i < text.size(); ++i) {
    const auto row = cells(text[i]);
    data.rows.emplace_back();
    for (std::size_t j = first; j <= last; ++j) data.rows.back().push_back(std::stod(row.at(j)));
  }
  return data;
}

inline textbook::Data column(const std::filesystem::path& csv, const std::string& name) {
  const auto head = cells(lines(csv).at(0));
  const auto at =
      static_cast<std::size_t>(std::find(head.begin(), head.end(), name) - head.begin());
  return columns(csv, at, at);
}

inline std::filesystem::path shipped(const std::string& file) {
  return source_tree() / "examples" / "data" / file;
}

/// reference.json of a set.
inline nlohmann::json fits(const std::string& set) {
  std::ifstream in(folder(set) / "reference.json");
  return nlohmann::json::parse(in);
}

/// Weights 1/K and the recorded rates.
inline textbook::Theta poisson_start(const std::vector<double>& rates) {
  textbook::Theta theta{.kind = textbook::Kind::poisson};
  for (const double rate : rates) {
    theta.weights.push_back(textbook::Real(1) / textbook::Real(rates.size()));
    theta.first.push_back({rate});
  }
  return theta;
}

}  // namespace reference
