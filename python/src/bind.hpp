// The parts of the native module, each bound by its own file.
#pragma once

#include <pybind11/pybind11.h>

namespace thalweg::python {

namespace py = pybind11;

void bind_errors(py::module_& module);
void bind_catalogue(py::module_& module);
void bind_rows(py::module_& module);
void bind_listener(py::module_& module);
void bind_learner(py::module_& module);

}  // namespace thalweg::python
