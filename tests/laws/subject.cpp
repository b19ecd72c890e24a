#include "subject.hpp"

#include <algorithm>

namespace laws {

bool on_diagonal(const Piece& piece, std::size_t entry) {
  const std::size_t d = piece.shape.back();
  return entry / d % d == entry % d;
}

std::pair<std::size_t, std::size_t> distribution_of(const Piece& piece, std::size_t entry) {
  if (piece.domain == Domain::simplex) return {0, piece.size()};
  std::size_t first = entry / piece.shape.back() * piece.shape.back();
  std::size_t part = 0;
  while (first + piece.parts[part] <= entry) first += piece.parts[part++];
  return {first, piece.parts[part]};
}

Subject::Subject(const Entry& of, Example at)
    : entry(&of),
      example(std::move(at)),
      model(of.make(example.options, example.schema)),
      plan(model->plan(example.schema)) {}

std::string Subject::name() const {
  return example.name.empty() ? entry->name : entry->name + "_" + example.name;
}

std::vector<Subject> subjects() {
  std::vector<Subject> all;
  for (const Entry& entry : catalogue())
    for (Example& example : entry.examples()) all.emplace_back(entry, std::move(example));
  return all;
}

Schema Subject::schema_of(std::size_t width) const {
  Schema schema = Schema::numbered(width);
  if (!example.schema.has_categories()) return schema;
  const auto shorter = [](const auto& a, const auto& b) { return a.size() < b.size(); };
  schema.levels.assign(width, *std::ranges::max_element(example.schema.levels, shorter));
  return schema;
}

Table Subject::draw(std::size_t rows, std::uint64_t seed) const {
  Table table(columns());
  std::vector<double> row(columns());
  for (std::size_t t = 0; t < rows; ++t) {
    Random random(seed, t);
    thalweg::draw(*model, example.truth, random, row.data());
    table.append_row(row.data());
  }
  return table;
}

Table Subject::draw_weighted(std::size_t rows, std::uint64_t seed) const {
  const Table plain = draw(rows, seed);
  Table table(columns());
  for (std::size_t t = 0; t < rows; ++t)
    table.append_row(plain.block().row(t), 0.5 * static_cast<double>(1 + t % 5));
  return table;
}

Parameters Subject::blurred(const Block& rows) const {
  Parameters theta = example.truth;
  for (const Piece& piece : plan.parameters->pieces()) {
    if (piece.constant) continue;
    for (std::size_t i = 0; i < piece.size(); ++i) {
      double& value = theta[piece.name][i];
      if (piece.domain == Domain::simplex || piece.domain == Domain::distributions)
        value = 0.5 * (value + 1.0 / static_cast<double>(distribution_of(piece, i).second));
      if (piece.domain == Domain::positive) value *= 1.25;
      if (piece.domain == Domain::real || piece.domain == Domain::loadings) value += 0.25;
      if (piece.domain == Domain::covariance) value *= on_diagonal(piece, i) ? 1.25 : 0.8;
    }
  }
  calibrate(*model, rows, theta);
  return theta;
}

Parameters Subject::with_idle_component(const Block& rows) const {
  Parameters theta = blurred(rows);
  if (!entry->has_components()) return theta;
  if (example.schema.has_categories()) {  // no level is far from others: its share is none
    const auto weights = theta["weights"];
    const double rest = 1 - weights.back();
    for (double& weight : weights) weight /= rest;
    weights.back() = 1e-300;
    return theta;
  }
  const Piece& location = plan.parameters->pieces()[1];  // after the weights: means, rates, …
  const std::size_t a_component = location.size() / components();
  for (double& value : theta[location.name].last(a_component)) value = 1e5;
  return theta;
}

Table pick(const Block& rows, const std::vector<std::size_t>& which) {
  Table table(rows.columns);
  for (const std::size_t t : which) table.append_row(rows.row(t), rows.weight(t));
  return table;
}

Table reweighted(const Block& rows, double factor) {
  Table table(rows.columns);
  for (std::size_t t = 0; t < rows.rows; ++t)
    table.append_row(rows.row(t), factor * rows.weight(t));
  return table;
}

}  // namespace laws
