// Offsets, free entries and names of the pieces of a layout.
#include <thalweg/core/layout.hpp>

namespace thalweg {
namespace {

/// As in a model file: which distribution, which row, which entry.
std::string part_indices(const Piece& piece, std::size_t i) {
  std::size_t column = i % piece.shape.back();
  std::size_t part = 0;
  while (column >= piece.parts[part]) column -= piece.parts[part++];
  std::string indices;
  for (const std::size_t index : {part, i / piece.shape.back(), column})
    indices += "[" + std::to_string(index) + "]";
  return indices;
}

}  // namespace

std::size_t Piece::free_entries() const {
  if (constant) return 0;
  if (domain == Domain::simplex) return size() - 1;
  if (domain == Domain::loadings) return size() - shape.back() * (shape.back() - 1) / 2;
  if (domain == Domain::distributions)
    return size() - size() / shape.back() * distributions().size();
  if (domain != Domain::covariance) return size();
  const std::size_t d = shape.back();
  return d > 0 ? size() / (d * d) * (d * (d + 1) / 2) : 0;
}

Layout::Layout(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {
  for (Piece& piece : pieces_) {
    piece.offset = size_;
    size_ += piece.size();
    for (std::size_t i = 0; i < piece.shape.size(); ++i) {
      if (piece.axis(i) == Axis::component) components_ = piece.shape[i];
      if (piece.axis(i) == Axis::column) columns_ = piece.shape[i];
    }
    if (!piece.parts.empty()) columns_ = piece.parts.size();  // a distribution for each column
  }
}

const Piece* Layout::find(std::string_view name) const {
  for (const Piece& piece : pieces_)
    if (piece.name == name) return &piece;
  return nullptr;
}

std::vector<std::string> Layout::entry_names() const {
  std::vector<std::string> names;
  for (const Piece& piece : pieces_) {
    if (piece.constant) continue;
    for (std::size_t i = 0; i < piece.size(); ++i) {
      if (!piece.parts.empty()) {
        names.push_back(piece.name + part_indices(piece, i));
        continue;
      }
      std::string indices;
      std::size_t rest = i;
      for (auto extent = piece.shape.rbegin(); extent != piece.shape.rend(); ++extent) {
        indices.insert(0, "[" + std::to_string(rest % *extent) + "]");
        rest /= *extent;
      }
      names.push_back(piece.name + indices);
    }
  }
  return names;
}

}  // namespace thalweg
