// What follows from the axes and meanings of pieces.
#include "core/change.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace thalweg {
namespace {

/// The data's scale in each column; one for all where the model has one, 1 without a gauge.
class Scale {
 public:
  explicit Scale(const Parameters& theta) {
    for (const Piece& piece : theta.layout().pieces())
      if (piece.constant && piece.meaning == Meaning::scale) {
        values_ = theta.data() + piece.offset;
        size_ = piece.size();
      }
  }
  double operator[](std::size_t column) const {
    return size_ == 0 ? 1.0 : values_[size_ == 1 ? 0 : column];
  }

 private:
  const double* values_ = nullptr;
  std::size_t size_ = 0;
};

/// The numbers along the axes of columns of entry i, the last two of them; the same twice where there is but one, 0 without.
struct Columns {
  std::size_t row = 0;
  std::size_t column = 0;

  Columns(const Piece& piece, std::size_t i) {
    std::size_t found = 0;
    for (std::size_t a = piece.shape.size(); a-- > 0; i /= piece.shape[a]) {
      if (piece.axis(a) != Axis::column) continue;
      if (found++ == 0) column = i % piece.shape[a];
      row = i % piece.shape[a];
    }
  }
};

double root_mean_square(const double* values, std::size_t size) {
  double squares = 0;
  for (std::size_t i = 0; i < size; ++i) squares += values[i] * values[i];
  return std::sqrt(squares / static_cast<double>(std::max<std::size_t>(size, 1)));
}

double change_of(const Piece& piece, const double* before, const double* after,
                 const Scale& scale) {
  double largest = 0;
  for (std::size_t i = 0; i < piece.size(); ++i) {
    double moved = std::abs(after[i] - before[i]);
    if (piece.meaning == Meaning::location || piece.meaning == Meaning::loading) {
      moved /= scale[Columns(piece, i).row];
    } else if (piece.meaning == Meaning::spread) {
      const Columns at(piece, i);
      moved = moved / scale[at.row] / scale[at.column];
    } else if (piece.meaning == Meaning::rate) {
      moved /= std::sqrt(std::max({before[i], after[i], 1e-3}));
    }
    largest = std::max(largest, moved);
  }
  if (piece.meaning != Meaning::other || !(largest > 0)) return largest;
  const double size = root_mean_square(before, piece.size());
  return size > 0 ? largest / size : 1.0;
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

double change(const Parameters& before, const Parameters& after) {
  const Scale scale(before);
  double largest = 0;
  for (const Piece& piece : before.layout().pieces())
    if (!piece.constant)
      largest = std::max(largest, change_of(piece, before.data() + piece.offset,
                                            after.data() + piece.offset, scale));
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

const Piece* level_tables(const Layout& layout) { return first_piece(layout, stands_for_columns); }

}  // namespace thalweg
