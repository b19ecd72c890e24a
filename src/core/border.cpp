// The one look at rows from outside: width, form, weights, labels, domain.
#include <thalweg/core/border.hpp>
#include <thalweg/core/capabilities.hpp>

#include <cmath>
#include <string>

namespace thalweg {
namespace {

void check_form(const Schema& schema, const Block& block) {
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

void Admission::admit(const Model& model, const Schema& schema, const Block& block,
                      std::uint64_t before) {
  if (block.first != 0 || block.numbers || before == 0) return admit(model, schema, block);
  Block numbered = block;
  numbered.first = before;
  admit(model, schema, numbered);
}

}  // namespace thalweg
