#include <thalweg/core/change.hpp>

#include <algorithm>
#include <cmath>

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

}  // namespace thalweg
