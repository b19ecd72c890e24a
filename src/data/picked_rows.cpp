// Gathers rows from anywhere in a block.
#include <thalweg/data/picked_rows.hpp>

#include <algorithm>

namespace thalweg {

Block PickedRows::pick(const Block& from, std::span<const std::size_t> places) {
  const std::size_t d = from.columns;
  values_.resize(places.size() * d);
  double* into = values_.data();
  for (const std::size_t place : places) into = std::copy_n(from.row(place), d, into);
  Block block = dense_block(values_.data(), places.size(), d);
  for_side_columns(
      [places](auto& gathered, const auto* column, const auto*& shown) {
        if (!column) return;
        gathered.clear();
        for (const std::size_t place : places) gathered.push_back(column[place]);
        shown = gathered.data();
      },
      side_, from.side, block.side);
  numbers_.clear();
  for (const std::size_t place : places) numbers_.push_back(from.number(place));
  block.numbers = numbers_.data();
  if (block.side.unit_start)
    for (std::size_t t = 0; t < places.size(); ++t)
      if (places[t] == 0) side_.unit_start[t] = 1;
  return block;
}

}  // namespace thalweg
