// Numbers of the library as NumPy arrays, and back.
#pragma once

#include <thalweg/catalogue/named_array.hpp>
#include <thalweg/core/statistic.hpp>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <cstddef>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

namespace thalweg::python {

namespace py = pybind11;

/// The vector becomes the array's memory.
template <class T>
py::array_t<T> array_of(std::vector<T> values, std::vector<std::size_t> shape) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  const T* data = owned->data();
  const py::capsule keeper(owned.get(), [](void* p) { delete static_cast<std::vector<T>*>(p); });
  std::ignore = owned.release();
  return py::array_t<T>(std::vector<py::ssize_t>(shape.begin(), shape.end()), data, keeper);
}

/// Read-only copies of the pieces, by name; a scalar is a number.
py::dict arrays_of_pieces(const Named& named);

/// Arrays by name, each of the shape and in the domain of its piece, as in a model file.
std::vector<NamedArray> arrays_from(const py::dict& given, const Layout& layout);

}  // namespace thalweg::python
