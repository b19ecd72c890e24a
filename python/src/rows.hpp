// Rows that Python holds, as sources: arrays where they lie, anything else block by block, files (files.hpp) by the data plane.
#pragma once

#include <thalweg/core/source.hpp>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace thalweg::python {

namespace py = pybind11;

/// A source, and the objects whose memory it looks at.
struct Rows {
  std::unique_ptr<Source> source;
  py::object kept;
  bool once = false;  // cannot be read again
};

/// Doubles whose last axis is contiguous, aligned and forward: rows that a Block can show.
bool is_plain(const py::array& array);

/// The rows of a plain array of two dimensions, with weights (null: every row counts once).
Block block_of(const py::array& values, const py::array* weight);

Rows rows_of_array(const py::array& values, const py::object& weight,
                   std::vector<std::string> names);

/// `next()` gives an array, a pair of array and weights, or None at the end; `rewind()` starts again (None: it cannot).
Rows rows_of_blocks(py::object next, py::object rewind, std::vector<std::string> names,
                    std::optional<std::uint64_t> rows);

}  // namespace thalweg::python
