// Parameters, starts and events as tables for people.
#include "report.hpp"

#include "catalogue/options.hpp"
#include "core/change.hpp"

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

std::string number(double value) { return fmt::format("{:.6g}", value); }

/// "weight" of the shares of a mixture.
std::string heading(const Piece& piece, const Fitted& fitted) {
  return &piece == row_shares(*fitted.plan.parameters) ? "weight" : piece.name;
}

/// The share of the variance along each column of the loadings, where one spread stands for the noise of every column.
std::vector<double> variance_along(const Fitted& fitted, const Piece& piece) {
  const auto& pieces = fitted.plan.parameters->pieces();
  const auto noise_piece = std::ranges::find(pieces, Meaning::spread, &Piece::meaning);
  if (noise_piece == pieces.end() || noise_piece->size() != 1) return {};
  const double noise = fitted.parameters[noise_piece->name][0];
  const auto loadings = fitted.parameters[piece.name];
  const std::size_t d = piece.shape[0];
  const std::size_t r = piece.shape[1];
  double total = noise * static_cast<double>(d);
  for (const double w : loadings) total += w * w;
  std::vector<double> shares;
  for (std::size_t k = 0; k < r; ++k) {
    double along = noise;
    for (std::size_t j = 0; j < d; ++j) along += loadings[j * r + k] * loadings[j * r + k];
    shares.push_back(along / total);
  }
  return shares;
}

/// A line for each column, then what is of none; of loadings also the share of the variance that lies along each factor, noise
/// included, which is what principal component analysis calls explained.
std::string factor_table(const Fitted& fitted) {
  const std::size_t d = fitted.schema.width();
  std::vector<Row> rows(d + 1);
  rows[0] = {"column"};
  for (std::size_t j = 0; j < d; ++j) rows[j + 1] = {fitted.schema.columns[j]};
  std::string below;
  Row share = {"share of variance"};
  bool explains = false;
  for (const Piece& piece : fitted.plan.parameters->pieces()) {
    if (piece.constant) continue;
    const auto values = fitted.parameters[piece.name];
    if (piece.axis(0) != Axis::column) {
      std::string name = piece.name;
      std::ranges::replace(name, '_', ' ');
      below += fmt::format("  {} {:.6g}\n", name, fmt::join(values, " "));
      continue;
    }
    const std::size_t width = values.size() / std::max<std::size_t>(d, 1);
    const bool loadings = piece.domain == Domain::loadings;
    const auto along = loadings ? variance_along(fitted, piece) : std::vector<double>();
    explains = explains || !along.empty();
    for (std::size_t k = 0; k < width; ++k) {
      rows[0].push_back(loadings ? fmt::format("z{}", k) : piece.name);
      for (std::size_t j = 0; j < d; ++j) rows[j + 1].push_back(number(values[j * width + k]));
      share.push_back(along.empty() ? "" : fmt::format("{:.4f}", along[k]));
    }
  }
  if (explains) rows.push_back(std::move(share));
  return aligned(rows) + below;
}

/// A line for each level of each column, components side by side.
std::string level_table(const Fitted& fitted, const Piece& tables) {
  constexpr std::size_t most_lines = 30;  // of a column
  const auto probabilities = fitted.parameters[tables.name];
  const std::size_t K = tables.shape[0];
  const std::size_t width = probabilities.size() / K;
  std::vector<Row> rows = {{"column", "level"}};
  for (std::size_t k = 0; k < K; ++k) rows[0].push_back(fmt::format("{}", k));
  for (const Piece& piece : fitted.plan.parameters->pieces()) {
    if (piece.constant || &piece == &tables) continue;
    const auto values = fitted.parameters[piece.name];
    const std::size_t part = values.size() / K;  // transition[j] is the share that goes to j
    for (std::size_t j = 0; j < part; ++j) {
      rows.push_back(
          {part == 1 ? heading(piece, fitted) : fmt::format("{}[{}]", piece.name, j), ""});
      for (std::size_t k = 0; k < K; ++k) rows.back().push_back(number(values[k * part + j]));
    }
  }
  std::size_t at = 0;
  for (std::size_t j = 0; j < fitted.schema.width(); ++j) {
    const std::vector<std::string>& levels = fitted.schema.levels[j];
    const std::size_t shown = std::min(levels.size(), most_lines);
    for (std::size_t l = 0; l < shown; ++l) {
      rows.push_back({fitted.schema.columns[j], levels[l]});
      for (std::size_t k = 0; k < K; ++k)
        rows.back().push_back(number(probabilities[k * width + at + l]));
    }
    if (shown < levels.size())
      rows.push_back({fitted.schema.columns[j], fmt::format("… {} more", levels.size() - shown)});
    at += levels.size();
  }
  return aligned(rows);
}

/// Adds a piece to the lines of the components: by column, or by the component that follows.
void add_piece(const Fitted& fitted, const Piece& piece, std::vector<Row>& rows) {
  const auto values = fitted.parameters[piece.name];
  const std::size_t K = rows.size() - 1;
  const std::size_t d = fitted.schema.width();
  const bool own = piece.by_component();  // else all components share one
  const std::size_t part = own ? piece.size() / K : 0;
  // Of a matrix the diagonal is shown: standard deviations say more to people, correlations follow in show --json.
  const bool matrix = piece.domain == Domain::covariance;
  const bool by_column = std::ranges::count(piece.axes, Axis::column) > 0;
  const bool spread = piece.meaning == Meaning::spread;  // one for all columns
  const std::size_t entries = by_column ? d : std::max<std::size_t>(part, 1);
  for (std::size_t j = 0; j < entries; ++j) {
    rows[0].push_back(by_column || (spread && d == 1)
                          ? fmt::format("{}[{}]", piece.name, fitted.schema.columns[j])
                      : entries > 1 ? fmt::format("{}[{}]", piece.name, j)
                                    : heading(piece, fitted));
    for (std::size_t k = 0; k < K; ++k)
      rows[k + 1].push_back(number(values[k * part + (matrix ? j * d + j : j)]));
  }
}

}  // namespace

std::string parameter_table(const Fitted& fitted) {
  const Layout& layout = *fitted.plan.parameters;
  const std::size_t K = layout.extent(Axis::component);
  if (K == 0) return factor_table(fitted);
  if (const Piece* const tables = level_tables(layout)) return level_table(fitted, *tables);
  std::vector<Row> rows(K + 1);
  rows[0] = {fitted.entry->latent == Latent::states ? "state" : "component"};
  for (std::size_t k = 0; k < K; ++k) rows[k + 1] = {std::to_string(k)};
  for (const Piece& piece : layout.pieces())
    if (!piece.constant) add_piece(fitted, piece, rows);
  return aligned(rows);
}

std::string starts_table(const std::vector<StartRecord>& starts) {
  std::vector<Row> rows = {{"start", "first guess", "short EM", "in the race", ""}};
  constexpr std::size_t most = 8;
  for (std::size_t r = 0; r < std::min(starts.size(), most); ++r) {
    const StartRecord& start = starts[r];
    rows.push_back({std::to_string(start.number), fmt::format("{:.6f}", start.at_start),
                    fmt::format("{:.6f}", start.after_short_em),
                    std::isnan(start.in_race) ? "-" : fmt::format("{:.6f}", start.in_race),
                    start.chosen ? "chosen" : ""});
  }
  std::string table = aligned(rows);
  if (starts.size() > most)
    table += fmt::format("  … and {} that ended lower\n", starts.size() - most);
  return table;
}

std::string events_text(const Events& events, const Schema& schema) {
  std::string text;
  for (std::size_t i = 0; i < event_kinds; ++i)
    if (const auto event = static_cast<Event>(i); events[event] > 0)
      text += fmt::format("  {} × {}{}\n", events[event], Events::sentence(event),
                          place_text(events, event, schema));
  return text;
}

std::string warnings_text(const std::vector<Warning>& warnings) {
  std::string text;
  for (const Warning& warning : warnings)
    text += fmt::format("warning: {}\n", in_command(warning.text));
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

Json degenerate_json(const std::vector<Degeneracy>& found) {
  Json json = Json::array();
  for (const Degeneracy& one : found) {
    json.push_back(
        {{"kind", name(one.kind)}, {"components", one.components}, {"columns", one.columns}});
    if (one.kind == Degeneracy::Kind::light) json.back()["rows"] = one.rows;
  }
  return json;
}

Json warnings_json(const std::vector<Warning>& warnings) {
  Json json = Json::array();
  for (const Warning& warning : warnings)
    json.push_back({{"kind", name(warning.kind)}, {"text", in_command(warning.text)}});
  return json;
}

}  // namespace thalweg::app
