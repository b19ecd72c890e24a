#include "arrays.hpp"

namespace thalweg::python {

py::dict arrays_of_pieces(const Named& named) {
  py::dict all;
  for (const Piece& piece : named.layout().pieces()) {
    if (piece.constant) continue;
    const auto values = named[piece.name];
    auto array = array_of(std::vector<double>(values.begin(), values.end()), piece.shape);
    array.attr("setflags")(py::arg("write") = false);
    all[py::str(piece.name)] = array;
  }
  return all;
}

}  // namespace thalweg::python
