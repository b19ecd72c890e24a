// What follows from the axes and meanings of pieces.
#include "core/change.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace thalweg {
namespace {

double root_mean_square(const double* values, std::size_t size) {
  double squares = 0;
  for (std::size_t i = 0; i < size; ++i) squares += values[i] * values[i];
  return std::sqrt(squares / static_cast<double>(std::max<std::size_t>(size, 1)));
}

LargestChange change_of(const Piece& piece, const double* before, const double* after,
                        const Scale& scale) {
  LargestChange largest;
  for (std::size_t i = 0; i < piece.size(); ++i) {
    double moved = std::abs(after[i] - before[i]);
    if (piece.meaning == Meaning::location || piece.meaning == Meaning::loading) {
      moved /= scale[entry_at(piece, i).row.value_or(0)];
    } else if (piece.meaning == Meaning::spread) {
      const EntryAt at = entry_at(piece, i);
      moved = moved / scale[at.row.value_or(0)] / scale[at.column.value_or(0)];
    } else if (piece.meaning == Meaning::rate) {
      moved /= std::sqrt(std::max({before[i], after[i], 1e-3}));
    }
    if (moved > largest.size) largest = {&piece, i, moved};
  }
  if (piece.meaning != Meaning::other || !(largest.size > 0)) return largest;
  const double size = root_mean_square(before, piece.size());
  largest.size = size > 0 ? largest.size / size : 1.0;
  return largest;
}

bool stands_for_columns(const Piece& piece) {
  return !piece.parts.empty() && piece.axis(piece.shape.size() - 1) == Axis::other;
}

/// Where the entries of an axis come from when only some columns are left.
std::vector<std::size_t> places(const Piece& whole, std::size_t a,
                                const std::vector<std::size_t>& columns) {
  if (whole.axis(a) == Axis::column) return columns;
  std::vector<std::size_t> found;
  if (a + 1 == whole.shape.size() && stands_for_columns(whole)) {
    for (const std::size_t j : columns) {
      const auto own = whole.parts.begin() + static_cast<std::ptrdiff_t>(j);
      const std::size_t begin = std::accumulate(whole.parts.begin(), own, std::size_t{0});
      for (std::size_t l = 0; l < *own; ++l) found.push_back(begin + l);
    }
  } else {
    found.resize(whole.shape[a]);
    std::iota(found.begin(), found.end(), std::size_t{0});
  }
  return found;
}

const Piece* first_piece(const Layout& layout, bool (*wanted)(const Piece&)) {
  const auto found = std::ranges::find_if(layout.pieces(), wanted);
  return found == layout.pieces().end() ? nullptr : &*found;
}

}  // namespace

Scale::Scale(const Parameters& theta) {
  for (const Piece& piece : theta.layout().pieces())
    if (piece.constant && piece.meaning == Meaning::scale) {
      values_ = theta.data() + piece.offset;
      size_ = piece.size();
    }
}

EntryAt entry_at(const Piece& piece, std::size_t i) {
  EntryAt at;
  for (std::size_t a = piece.shape.size(); a-- > 0; i /= piece.shape[a]) {
    const std::size_t number = i % piece.shape[a];
    if (piece.axis(a) == Axis::component) at.component = number;
    if (piece.axis(a) != Axis::column) continue;
    if (!at.column) at.column = number;
    at.row = number;
  }
  return at;
}

double change(const Parameters& before, const Parameters& after) {
  return largest_change(before, after).size;
}

LargestChange largest_change(const Parameters& before, const Parameters& after) {
  const Scale scale(before);
  LargestChange largest;
  for (const Piece& piece : before.layout().pieces()) {
    if (piece.constant) continue;
    const LargestChange here =
        change_of(piece, before.data() + piece.offset, after.data() + piece.offset, scale);
    if (here.size > largest.size) largest = here;
  }
  return largest;
}

void relabel(const std::vector<std::size_t>& order, Named& vector) {
  for (const Piece& piece : vector.layout().pieces()) {
    std::size_t inner = piece.size();
    for (std::size_t a = 0; a < piece.shape.size(); ++a) {
      const std::size_t extent = piece.shape[a];
      inner /= std::max<std::size_t>(extent, 1);
      if (piece.axis(a) != Axis::component) continue;
      double* const values = vector.data() + piece.offset;
      const std::vector<double> old(values, values + piece.size());
      for (std::size_t i = 0; i < old.size(); ++i) {
        const std::size_t k = i / inner % extent;
        values[i] = old[i + order[k] * inner - k * inner];
      }
    }
  }
}

void pick_columns(const Named& from, const std::vector<std::size_t>& columns, Named& into) {
  for (const Piece& piece : into.layout().pieces()) {
    const Piece& whole = *from.layout().find(piece.name);
    std::vector<std::size_t> at(piece.size(), whole.offset);  // of each entry in `from`
    std::size_t inner = 1;
    std::size_t stride = 1;
    for (std::size_t a = piece.shape.size(); a-- > 0;) {
      const std::vector<std::size_t> old = places(whole, a, columns);
      for (std::size_t i = 0; i < at.size(); ++i) at[i] += old[i / inner % piece.shape[a]] * stride;
      inner *= piece.shape[a];
      stride *= whole.shape[a];
    }
    for (std::size_t i = 0; i < at.size(); ++i) into.data()[piece.offset + i] = from.data()[at[i]];
  }
}

/// A model that names no axes has components if it has shares.
const Piece* component_probabilities(const Layout& layout) {
  return first_piece(layout, [](const Piece& piece) {
    return piece.domain == Domain::simplex && piece.shape.size() == 1 &&
           (piece.by_component() || piece.axes.empty());
  });
}

const Piece* row_shares(const Layout& layout) {
  const bool pairs = first_piece(layout, [](const Piece& piece) {
    return std::ranges::count(piece.axes, Axis::component) > 1;
  });
  return pairs ? nullptr : component_probabilities(layout);
}

const Piece* row_counts(const Layout& statistic) {
  return first_piece(statistic, [](const Piece& piece) {
    return piece.meaning == Meaning::probability && piece.shape.size() == 1 && piece.by_component();
  });
}

const Piece* level_tables(const Layout& layout) { return first_piece(layout, stands_for_columns); }

}  // namespace thalweg
