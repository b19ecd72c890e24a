// Rows of the library as the textbook has them.
#pragma once

#include "textbook.hpp"
#include <thalweg/data/block.hpp>

namespace samples {

inline textbook::Data plain(const thalweg::Block& rows) {
  textbook::Data data;
  for (std::size_t t = 0; t < rows.rows; ++t) {
    data.rows.emplace_back(rows.row(t), rows.row(t) + rows.columns);
    data.weights.push_back(rows.weight(t));
  }
  return data;
}

}  // namespace samples
