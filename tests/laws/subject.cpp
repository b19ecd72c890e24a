#include "subject.hpp"

#include "estimators/start_sample.hpp"

#include <algorithm>
#include <stdexcept>

namespace laws {

bool on_diagonal(const Piece& piece, std::size_t entry) {
  const std::size_t d = piece.shape.back();
  return entry / d % d == entry % d;
}

std::pair<std::size_t, std::size_t> distribution_of(const Piece& piece, std::size_t entry) {
  if (piece.domain == Domain::simplex) return {0, piece.size()};
  std::size_t first = entry / piece.shape.back() * piece.shape.back();
  std::size_t part = 0;
  const std::vector<std::size_t> parts = piece.distributions();
  while (first + parts[part] <= entry) first += parts[part++];
  return {first, parts[part]};
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
  Carry carry;
  std::size_t units = 0;
  std::size_t next = 0;  // where a unit begins: lengths 1, 8, 1, 8, …
  for (std::size_t t = 0; t < rows; ++t) {
    const std::uint8_t begins = plan.unit == Unit::row || t == next ? 1 : 0;
    if (begins != 0) {
      carry = {};
      next += 1 + units++ * 7 % 14;
    }
    Random random(seed, t);
    model->draw(example.truth, Block{}, carry, random, row.data());
    Block drawn = dense_block(row.data(), 1, columns());
    if (plan.unit != Unit::row) drawn.side.unit_start = &begins;
    table.append(drawn);
  }
  return table;
}

std::size_t Subject::rows_of(std::size_t units) const {
  return plan.unit == Unit::row ? units : 5 * units;  // one and eight rows are nine to two units
}

Table Subject::draw_weighted(std::size_t rows, std::uint64_t seed) const {
  const Table plain = draw(rows, seed);
  const Units units(plain.block(), plan.unit);
  Table table(columns());
  for (std::size_t u = 0; u < units.size(); ++u) {
    Block unit = units[u];
    const std::vector<double> weights(unit.rows, 0.5 * static_cast<double>(1 + u % 5));
    unit.side.weight = weights.data();
    table.append(unit);
  }
  return table;
}

Block Subject::first(const Block& rows, std::size_t count) const {
  return rows.slice(0, unit_after(rows, count, plan.unit).value_or(rows.rows));
}

Table Subject::of_starts(const Block& rows, std::size_t count) const {
  StartSample sample(rows.columns, count, plan.unit, rows.rows, 0);
  sample.add(rows);
  if (sample.has_to_look_again()) sample.look_again(rows);
  Table table(rows.columns);
  table.append(sample.block());
  return table;
}

void Subject::append_unit(Table& table, const std::vector<double>& row, double weight) const {
  const std::uint8_t begins = 1;
  Block unit = dense_block(row.data(), 1, columns());
  if (table.weighted() || weight != 1.0) unit.side.weight = &weight;
  if (plan.unit != Unit::row) unit.side.unit_start = &begins;
  table.append(unit);
}

const Piece& Subject::location() const {
  for (const Piece& piece : plan.parameters->pieces())
    if (piece.by_component() && piece.domain != Domain::simplex &&
        piece.axis(1) != Axis::component && !piece.constant)
      return piece;
  throw std::logic_error("no parameter of " + name() + " says what components emit");
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
  const std::size_t a_component = location().size() / components();
  for (double& value : theta[location().name].last(a_component)) value = 1e5;
  return theta;
}

Table pick(const Block& rows, Unit unit, const std::vector<std::size_t>& which) {
  Table table(rows.columns);
  const Units units(rows, unit);
  for (const std::size_t u : which) {
    Block one = units[u];
    one.number_from(table.rows());
    table.append(one);
  }
  return table;
}

Table reweighted(const Block& rows, double factor) {
  std::vector<double> weights;
  for (std::size_t t = 0; t < rows.rows; ++t) weights.push_back(factor * rows.weight(t));
  Block other = rows;
  other.side.weight = weights.data();
  Table table(rows.columns);
  table.append(other);
  return table;
}

}  // namespace laws
