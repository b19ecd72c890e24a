// The Gaussian fits that are recorded in THALWEG_DATA, found by what their files say, with the columns and starts they name.
#pragma once

#include "gaussian_models.hpp"
#include "reference.hpp"

#include <set>

namespace gaussian_fits {

using samples::Gaussians;
using samples::Shape;

struct Entry {
  std::string set;
  std::string name;     // "gmm_full_K3"
  nlohmann::json fit;   // as recorded
  std::string columns;  // what the set says of its columns

  std::filesystem::path folder() const { return reference::folder(set); }
  std::size_t n() const { return fit.at("n"); }
  std::string title() const { return set + "_" + name; }
};

inline void PrintTo(const Entry& entry, std::ostream* out) { *out << entry.title(); }

/// Every entry of `file` in every set that `wanted(fit)` takes, in alphabetical order; none without THALWEG_DATA.
template <class Wanted>
std::vector<Entry> entries(const std::string& file, Wanted&& wanted) {
  std::vector<Entry> out;
  const char* root = std::getenv("THALWEG_DATA");
  if (!root || !std::filesystem::is_directory(root)) return out;
  for (const auto& place : std::filesystem::directory_iterator(root)) {
    const std::string set = place.path().filename().string();
    if (!std::filesystem::exists(place.path() / file) || reference::folder(set).empty()) continue;
    std::ifstream in(place.path() / file);
    const auto fits = nlohmann::json::parse(in);
    for (const auto& [name, fit] : fits.items())
      if (fit.is_object() && wanted(fit)) out.push_back({set, name, fit, fit.value("columns", "")});
  }
  std::sort(out.begin(), out.end(),
            [](const Entry& a, const Entry& b) { return a.title() < b.title(); });
  return out;
}

inline bool says(const nlohmann::json& fit, const char* key, const std::string& words) {
  const auto found = fit.find(key);
  return found != fit.end() && found->is_string() &&
         found->get<std::string>().find(words) != std::string::npos;
}

/// All entries of reference.json that are Gaussian mixtures.
inline std::vector<Entry> recorded() {
  return entries("reference.json", [](const nlohmann::json& fit) {
    return says(fit, "model", "Gaussian mixture, ") && fit.contains("covariances");
  });
}

inline Shape shape(const Entry& entry) {
  for (const Shape s : samples::shapes)
    if (says(entry.fit, "model", samples::name(s) + " covariance")) return s;
  throw std::runtime_error(entry.title() + ": unknown covariance");
}

/// Which columns of the file a description means: those it names, in its order, else all that are no labels.
inline std::vector<std::size_t> chosen_columns(const std::string& description,
                                               const std::vector<std::string>& head) {
  std::vector<std::size_t> out;
  std::string word;
  for (const char c : description + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.') {
      word += c;
      continue;
    }
    const auto at = std::find(head.begin(), head.end(), word);
    if (at != head.end()) out.push_back(static_cast<std::size_t>(at - head.begin()));
    word.clear();
  }
  const std::set<std::string> labels{"label", "Species", "ID", "Diagnosis", "Region", "Area"};
  if (out.empty())
    for (std::size_t j = 0; j < head.size(); ++j)
      if (!labels.contains(head[j])) out.push_back(j);
  return out;
}

/// Centred and divided by the standard deviation with divisor n.
inline void standardise(textbook::Data& data) {
  const textbook::Real n = textbook::Real(data.rows.size());
  for (std::size_t j = 0; j < data.rows[0].size(); ++j) {
    textbook::Real mean = 0;
    textbook::Real variance = 0;
    for (const auto& y : data.rows) mean += y[j] / n;
    for (const auto& y : data.rows) variance += (y[j] - mean) * (y[j] - mean) / n;
    for (auto& y : data.rows) y[j] = static_cast<double>((y[j] - mean) / std::sqrt(variance));
  }
}

/// The rows of a set as the description of its columns wants them.
inline textbook::Data rows(const std::string& set, const std::string& description) {
  const auto text = reference::lines(reference::folder(set) / "data.csv");
  const auto columns = chosen_columns(description, reference::cells(text.at(0)));
  textbook::Data data;
  for (std::size_t t = 1; t < text.size(); ++t) {
    const auto cells = reference::cells(text[t]);
    data.rows.emplace_back();
    for (const std::size_t j : columns) data.rows.back().push_back(std::stod(cells.at(j)));
  }
  if (description.find("centred and divided") != std::string::npos) standardise(data);
  if (description.find("Demand/1000") != std::string::npos)
    for (auto& y : data.rows) y[0] /= 1000;
  return data;
}

/// Weights 1/K, means = the listed rows, every covariance = the ML covariance of all the data in the entry's shape.
inline Gaussians start(const Entry& entry, const textbook::Data& data) {
  const std::vector<std::size_t> means = entry.fit.at("start").at("rows");
  const std::size_t d = data.rows[0].size();
  const textbook::Real n = textbook::Real(data.rows.size());
  textbook::Vector centre(d);
  textbook::Matrix spread(d, textbook::Vector(d));
  for (const auto& y : data.rows)
    for (std::size_t j = 0; j < d; ++j) centre[j] += y[j] / n;
  for (const auto& y : data.rows)
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = 0; j < d; ++j)
        spread[i][j] += (y[i] - centre[i]) * (y[j] - centre[j]) / n;
  Gaussians theta{textbook::Vector(means.size(), textbook::Real(1) / textbook::Real(means.size())),
                  {},
                  std::vector<textbook::Matrix>(means.size(), spread)};
  for (const std::size_t t : means)
    theta.means.emplace_back(data.rows.at(t).begin(), data.rows.at(t).end());
  textbook::constrain(theta.covariances, theta.weights, shape(entry));
  return theta;
}

}  // namespace gaussian_fits
