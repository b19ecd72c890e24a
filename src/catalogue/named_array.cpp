// Named arrays: out of a vector of pieces and back into one, shapes compared.
#include "side_by_side.hpp"
#include <thalweg/core/error.hpp>

#include <algorithm>

namespace thalweg {
namespace {

/// "[2][3]", of tables "[2][3] [2][4]".
std::string shape_text(const NamedArray& array) {
  std::string text;
  const auto add = [&text](std::size_t extent) { text += "[" + std::to_string(extent) + "]"; };
  if (array.parts.empty()) std::for_each(array.shape.begin(), array.shape.end(), add);
  for (const std::size_t width : array.parts) {
    text += text.empty() ? "" : " ";
    add(array.shape[0]);
    add(width);
  }
  return text;
}

}  // namespace

NamedArray side_by_side(const std::vector<NamedArray>& pieces) {
  NamedArray array{.name = pieces[0].name, .shape = {pieces[0].shape.at(0), 0}, .values = {}};
  for (const NamedArray& piece : pieces) {
    if (piece.shape.size() != 2 || piece.shape[0] != array.shape[0])
      throw Error("\"" + array.name + "\" is not a list of tables with as many rows each");
    array.parts.push_back(piece.shape[1]);
    array.shape[1] += piece.shape[1];
  }
  for (std::size_t k = 0; k < array.shape[0]; ++k)
    for (const NamedArray& piece : pieces) {
      const auto at = piece.values.begin() + static_cast<std::ptrdiff_t>(k * piece.shape[1]);
      array.values.insert(array.values.end(), at, at + static_cast<std::ptrdiff_t>(piece.shape[1]));
    }
  return array;
}

const NamedArray* find_array(const std::vector<NamedArray>& arrays, std::string_view name) {
  const auto found = std::ranges::find(arrays, name, &NamedArray::name);
  return found == arrays.end() ? nullptr : &*found;
}

std::vector<NamedArray> arrays_of(const Named& named, bool constants) {
  std::vector<NamedArray> arrays;
  for (const Piece& piece : named.layout().pieces()) {
    if (piece.constant != constants) continue;
    const auto values = named.values().subspan(piece.offset, piece.size());
    arrays.push_back({piece.name, piece.shape, {values.begin(), values.end()}, piece.parts});
  }
  return arrays;
}

NamedArray as_tables(const NamedArray& array) {
  if (!array.parts.empty() || array.shape.size() != 3) return array;
  const std::size_t size = array.shape[1] * array.shape[2];
  std::vector<NamedArray> pieces;
  for (std::size_t j = 0; j < array.shape[0]; ++j) {
    const auto at = array.values.begin() + static_cast<std::ptrdiff_t>(j * size);
    pieces.push_back({array.name,
                      {array.shape[1], array.shape[2]},
                      {at, at + static_cast<std::ptrdiff_t>(size)}});
  }
  return side_by_side(pieces);
}

void check_shapes(const std::vector<NamedArray>& arrays, const Layout& layout) {
  for (const NamedArray& array : arrays) {
    const Piece* piece = layout.find(array.name);
    if (!piece) throw Error("\"" + array.name + "\" is nothing that this model has");
    const NamedArray found = piece->parts.empty() ? array : as_tables(array);
    if (piece->shape != found.shape || piece->parts != found.parts)
      throw Error(
          "\"" + array.name + "\" has shape " + shape_text(found) + ", expected " +
          shape_text({.name = {}, .shape = piece->shape, .values = {}, .parts = piece->parts}));
  }
}

void fill_from(const std::vector<NamedArray>& arrays, Named& named) {
  check_shapes(arrays, named.layout());
  for (const NamedArray& array : arrays) {
    const bool tables = !named.layout().find(array.name)->parts.empty();
    const std::vector<double> values = tables ? as_tables(array).values : array.values;
    std::copy(values.begin(), values.end(), named[array.name].begin());
  }
}

}  // namespace thalweg
