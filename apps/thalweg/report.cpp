#include "report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace thalweg::app {
namespace {

using Row = std::vector<std::string>;

/// Right-aligned columns, two spaces apart.
std::string aligned(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths;
  for (const Row& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) text += fmt::format("  {:>{}}", row[i], widths[i]);
    text += "\n";
  }
  return text;
}

/// "components 1, 4": what is marked, the number itself where there is no name for it.
std::string marked(Marks marks, const std::string& what, const std::vector<std::string>& names) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < Marks::others; ++i)
    if (marks.has(i)) found.push_back(i < names.size() ? names[i] : std::to_string(i));
  if (found.empty())
    return marks.any() ? fmt::format("{}s beyond {}", what, Marks::others - 1) : "";
  return fmt::format("{}{} {}{}", what, found.size() > 1 || marks.has(Marks::others) ? "s" : "",
                     fmt::join(found, ", "), marks.has(Marks::others) ? " and others" : "");
}

std::string place_text(const Events& events, Event event, const Schema& schema) {
  const std::string components = marked(events.components(event), "component", {});
  const std::string columns = marked(events.columns(event), "column", schema.columns);
  if (components.empty() && columns.empty()) return "";
  return fmt::format(" ({}{}{})", components, components.empty() || columns.empty() ? "" : "; ",
                     columns);
}

/// Mean and loadings of each column; then the share of the variance that lies along each factor, noise included, which is what
/// principal component analysis calls explained.
std::string factor_table(const Fitted& fitted) {
  const auto mean = fitted.parameters["mean"];
  const auto loadings = fitted.parameters["loadings"];
  const double noise = fitted.parameters["noise_variance"][0];
  const std::size_t d = mean.size();
  const std::size_t r = loadings.size() / d;
  std::vector<Row> rows = {{"column", "mean"}};
  for (std::size_t j = 0; j < d; ++j)
    rows.push_back({fitted.schema.columns[j], fmt::format("{:.6g}", mean[j])});
  Row share = {"share of variance", ""};
  double total = noise * static_cast<double>(d);
  for (const double w : loadings) total += w * w;
  for (std::size_t k = 0; k < r; ++k) {
    rows[0].push_back(fmt::format("z{}", k));
    double along = noise;
    for (std::size_t j = 0; j < d; ++j) {
      const double w = loadings[j * r + k];
      along += w * w;
      rows[j + 1].push_back(fmt::format("{:.6g}", w));
    }
    share.push_back(fmt::format("{:.4f}", along / total));
  }
  rows.push_back(std::move(share));
  return aligned(rows) + fmt::format("  noise variance {:.6g}\n", noise);
}

/// A line for each level of each column, components side by side.
std::string level_table(const Fitted& fitted) {
  constexpr std::size_t most_lines = 30;  // of a column
  const auto weights = fitted.parameters["weights"];
  const auto probabilities = fitted.parameters["probabilities"];
  const std::size_t K = weights.size();
  const std::size_t width = probabilities.size() / K;
  std::vector<Row> rows = {{"column", "level"}, {"weight", ""}};
  for (std::size_t k = 0; k < K; ++k) {
    rows[0].push_back(fmt::format("{}", k));
    rows[1].push_back(fmt::format("{:.6g}", weights[k]));
  }
  std::size_t at = 0;
  for (std::size_t j = 0; j < fitted.schema.width(); ++j) {
    const std::vector<std::string>& levels = fitted.schema.levels[j];
    const std::size_t shown = std::min(levels.size(), most_lines);
    for (std::size_t l = 0; l < shown; ++l) {
      rows.push_back({fitted.schema.columns[j], levels[l]});
      for (std::size_t k = 0; k < K; ++k)
        rows.back().push_back(fmt::format("{:.6g}", probabilities[k * width + at + l]));
    }
    if (shown < levels.size())
      rows.push_back({fitted.schema.columns[j], fmt::format("… {} more", levels.size() - shown)});
    at += levels.size();
  }
  return aligned(rows);
}

}  // namespace

std::string parameter_table(const Fitted& fitted) {
  if (!fitted.entry->has_components()) return factor_table(fitted);
  if (fitted.schema.has_categories()) return level_table(fitted);
  const std::size_t d = fitted.schema.width();
  const auto weights = fitted.parameters["weights"];
  const std::size_t K = weights.size();
  std::vector<Row> rows(K + 1);
  rows[0] = {"component", "weight"};
  for (std::size_t k = 0; k < K; ++k)
    rows[k + 1] = {std::to_string(k), fmt::format("{:.6g}", weights[k])};
  for (const Piece& piece : fitted.plan.parameters->pieces()) {
    if (piece.constant || piece.name == "weights") continue;
    const auto values = fitted.parameters[piece.name];
    const bool own = piece.by_component();  // else all components share one
    const std::size_t part = own ? piece.size() / K : 0;
    // Of a matrix the diagonal is shown: standard deviations say more to people, correlations follow in show --json.
    const bool matrix = piece.domain == Domain::covariance;
    for (std::size_t j = 0; j < (own && part == 1 && d > 1 ? 1 : d); ++j) {
      const bool named = part != 1 || d == 1;
      rows[0].push_back(named ? fmt::format("{}[{}]", piece.name, fitted.schema.columns[j])
                              : piece.name);
      for (std::size_t k = 0; k < K; ++k)
        rows[k + 1].push_back(fmt::format("{:.6g}", values[k * part + (matrix ? j * d + j : j)]));
    }
  }
  return aligned(rows);
}

std::string starts_table(const std::vector<StartRecord>& starts) {
  std::vector<Row> rows = {{"start", "first guess", "short EM", "in the race", ""}};
  for (const StartRecord& start : starts)
    rows.push_back({std::to_string(start.number), fmt::format("{:.6f}", start.at_start),
                    fmt::format("{:.6f}", start.after_short_em),
                    std::isnan(start.in_race) ? "-" : fmt::format("{:.6f}", start.in_race),
                    start.chosen ? "chosen" : ""});
  return aligned(rows);
}

std::string events_text(const Events& events, const Schema& schema) {
  std::string text;
  for (std::size_t i = 0; i < event_kinds; ++i)
    if (const auto event = static_cast<Event>(i); events[event] > 0)
      text += fmt::format("  {} × {}{}\n", events[event], Events::sentence(event),
                          place_text(events, event, schema));
  return text;
}

std::string labels_text(const std::vector<std::string>& labels) {
  std::string text;
  for (std::size_t k = 0; k < labels.size(); ++k)
    text += fmt::format("label {} is component {}\n", labels[k], k);
  return text;
}

Json events_json(const Events& events) {
  Json json = Json::object();
  for (std::size_t i = 0; i < event_kinds; ++i)
    if (const auto event = static_cast<Event>(i); events[event] > 0)
      json[std::string(Events::name(event))] = events[event];
  return json;
}

}  // namespace thalweg::app
