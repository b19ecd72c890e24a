// NumPy arrays and named arrays, both ways.
#include "arrays.hpp"

#include "core/domain.hpp"
#include <thalweg/core/error.hpp>

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

std::vector<NamedArray> arrays_from(const py::dict& given, const Layout& layout) {
  std::vector<NamedArray> arrays;
  for (const auto& [key, value] : given) {
    const auto array = py::cast<py::array_t<double, py::array::c_style | py::array::forcecast>>(
        py::reinterpret_borrow<py::object>(value));
    NamedArray named{.name = key.cast<std::string>(), .shape = {}, .values = {}};
    for (py::ssize_t i = 0; i < array.ndim(); ++i)
      named.shape.push_back(static_cast<std::size_t>(array.shape(i)));
    named.values.assign(array.data(), array.data() + array.size());
    if (const Piece* piece = layout.find(named.name); piece && piece->shape == named.shape)
      named.parts = piece->parts;  // tables side by side
    arrays.push_back(std::move(named));
  }
  check_shapes(arrays, layout);
  for (const NamedArray& array : arrays)
    if (const std::string fault = domain_fault(*layout.find(array.name), array.values);
        !fault.empty())
      throw Error(fault);
  return arrays;
}

}  // namespace thalweg::python
