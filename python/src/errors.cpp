// The library's errors as Python exceptions: all are ValueErrors, as scikit-learn's users expect.
#include "bind.hpp"
#include "catalogue/options.hpp"
#include "own_model.hpp"
#include <thalweg/core/error.hpp>

#include <exception>
#include <string>
#include <utility>

namespace thalweg::python {
void bind_errors(py::module_& module) {
  static const py::exception<Error> error(module, "Error", PyExc_ValueError);
  static const py::exception<UsageError> usage(module, "UsageError", error.ptr());
  static const py::exception<RowError> row(module, "RowError", error.ptr());
  static const py::exception<ModelError> model(module, "ModelError", error.ptr());
  error.attr("__doc__") = "What went wrong, in one line: what, what was expected, where.";
  usage.attr("__doc__") = "A request that makes no sense, as an argument out of range.";
  row.attr("__doc__") = "A row that the model cannot take.";
  model.attr("__doc__") = "A model of one's own that does not keep to what thalweg.Model asks for.";
  py::register_exception_translator([](std::exception_ptr thrown) {
    const auto raise = [](const py::object& kind, const std::string& what) {
      PyErr_SetString(kind.ptr(), what.c_str());
    };
    try {
      if (thrown) std::rethrow_exception(std::move(thrown));
    } catch (const UsageError& what) {
      raise(usage, in_python(what.message()));
    } catch (const RowError& what) {
      raise(row, in_python(what.message()));
    } catch (const ModelError& what) {
      raise(model, what.what());  // in the user's own words
    } catch (const Error& what) {
      raise(error, in_python(what.message()));
    }
  });
}

}  // namespace thalweg::python
