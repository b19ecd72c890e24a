// The library's errors as Python exceptions: all are ValueErrors, as scikit-learn's users expect.
#include "bind.hpp"
#include "own_model.hpp"
#include <thalweg/core/error.hpp>

namespace thalweg::python {

void bind_errors(py::module_& module) {
  const auto& error = py::register_exception<Error>(module, "Error", PyExc_ValueError);
  py::register_exception<UsageError>(module, "UsageError", error.ptr());
  py::register_exception<RowError>(module, "RowError", error.ptr());
  py::register_exception<ModelError>(module, "ModelError", error.ptr());
}

}  // namespace thalweg::python
