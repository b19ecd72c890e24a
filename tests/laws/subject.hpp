// What laws are tried on: a model of the catalogue at one of its examples, rows drawn from it, and parameters near the truth.
#pragma once

#include <thalweg/thalweg.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace laws {

using namespace thalweg;

struct Subject {
  Subject(const Entry& of, Example at);

  /// A model without components is one component.
  std::size_t components() const {
    return entry->has_components() ? plan.parameters->extent(Axis::component) : 1;
  }
  std::size_t columns() const { return example.schema.width(); }

  /// So many columns, each of which takes whatever any column of the example holds.
  Schema schema_of(std::size_t width) const;

  /// Rows drawn at the truth, row t from the stream (seed, t). Where units are longer than a row, their lengths differ.
  Table draw(std::size_t rows, std::uint64_t seed) const;

  /// Rows that hold so many units: for mini-batches and warm-ups, as an M-step on one unit makes all components equal that share
  /// it, and rounding then decides how they part.
  std::size_t rows_of(std::size_t units) const;

  /// The same with weights 0.5, 1, 1.5, 2, 2.5 in turn, of rows or longer units.
  Table draw_weighted(std::size_t rows, std::uint64_t seed) const;

  /// The first rows, at least so many: no unit is cut.
  Block first(const Block& rows, std::size_t count) const;

  /// On which rows a fit of rows in memory by batch EM finds its starts.
  Table of_starts(const Block& rows, std::size_t count) const;

  /// A row behind the others that is a unit of its own.
  void append_unit(Table& table, const std::vector<double>& row, double weight = 1) const;

  /// Of the parameters, the first that says what components emit.
  const Piece& location() const;

  /// A valid start beside the truth, in the gauge of these rows.
  Parameters blurred(const Block& rows) const;

  /// The same with the last component so far away that it owns nothing: every M-step has to repair.
  /// A model without components has nothing to be idle.
  Parameters with_idle_component(const Block& rows) const;

  std::string name() const;  // "gaussian_full"

  const Entry* entry;
  Example example;
  std::shared_ptr<const Model> model;
  Plan plan;
};

/// The first entry of the distribution to which an entry of a piece belongs, and how many it has.
std::pair<std::size_t, std::size_t> distribution_of(const Piece& piece, std::size_t entry);

/// Whether an entry of a piece of covariance matrices is a variance.
bool on_diagonal(const Piece& piece, std::size_t entry);

/// Every example of every entry.
std::vector<Subject> subjects();

/// The units of a block in another order, or any selection of them: unit i is unit `which[i]`.
Table pick(const Block& rows, Unit unit, const std::vector<std::size_t>& which);

/// Weights multiplied by a factor.
Table reweighted(const Block& rows, double factor);

}  // namespace laws
