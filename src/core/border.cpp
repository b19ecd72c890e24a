// The one look at rows from outside: width, form, weights, labels, domain.
#include <thalweg/core/border.hpp>
#include <thalweg/core/capabilities.hpp>

#include <cmath>
#include <string>

namespace thalweg {
namespace {

/// Until a model takes a response, an exposure or trials, a column in such a role would be taken for data.
void check_roles(const Schema& schema) {
  for (std::size_t j = 0; j < schema.roles.size(); ++j)
    if (schema.roles[j] != Role::data)
      throw Error("column \"" + schema.columns[j] +
                  "\" has a role that this model does not take (data alone)");
}

void check_form(const Schema& schema, const Block& block) {
  check_roles(schema);
  if (block.columns != schema.width())
    throw Error("rows of " + std::to_string(block.columns) + " columns came, the model has " +
                std::to_string(schema.width()));
  if (!block.values)
    throw Error(block.sparse.starts ? "this model takes no sparse rows (give dense ones)"
                                    : "a block of rows without values");
}

void check_weights(const Block& block) {
  if (!block.side.weight) return;
  for (std::size_t t = 0; t < block.rows; ++t)
    if (const double w = block.side.weight[t]; !(w >= 0) || !std::isfinite(w))
      throw RowError(block.number(t), "the row's weight is not a number from 0 on");
}

void check_labels(const Model& model, const Block& block) {
  if (!block.side.label || capability<Components>(model)) return;
  for (std::size_t t = 0; t < block.rows; ++t)
    if (!std::isnan(block.side.label[t]))
      throw RowError(block.number(t), "it has a label, but this model takes none");
}

}  // namespace

void Admission::admit(const Model& model, const Schema& schema, const Block& block) {
  if (block.rows == 0) return;
  check_form(schema, block);
  check_weights(block);
  check_labels(model, block);
  model.check(schema, block);
  weight_ = weight_after(block);
}

void admit(const Schema& schema, const Source& rows) {
  if (rows.schema().width() != schema.width())
    throw Error("rows of " + std::to_string(rows.schema().width()) +
                " columns came, the model has " + std::to_string(schema.width()));
}

double Admission::weight_after(const Block& block) const {
  if (unit_ == Unit::row) return 0;
  double weight = weight_;
  for (std::size_t t = 0; t < block.rows; ++t) {
    if (begins_unit(block, t, unit_)) weight = 0;
    const double w = block.weight(t);
    if (w == 0) continue;
    if (weight != 0 && w != weight)
      throw RowError(block.number(t),
                     "its weight differs from that of the rows before it (a " +
                         std::string(unit_ == Unit::sequence ? "sequence" : "group") +
                         " counts as a whole)");
    weight = w;
  }
  return weight;
}

/// Rows of one block that all count once cannot differ: then the unit need not be known.
void admit(const Model& model, const Schema& schema, const Block& block) {
  Admission(block.side.weight ? model.plan(schema).unit : Unit::row).admit(model, schema, block);
}

Block Admission::admit(const Model& model, const Schema& schema, const Block& block,
                       std::uint64_t before) {
  Block numbered = block;
  if (!block.has_numbers()) numbered.number_from(before);
  admit(model, schema, numbered);
  return numbered;
}

}  // namespace thalweg
