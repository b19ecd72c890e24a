// The native half of the package thalweg.
#include "bind.hpp"

PYBIND11_MODULE(_native, module) {
  module.doc() = "The native half of thalweg.";
  module.attr("__version__") = THALWEG_VERSION;
  thalweg::python::bind_errors(module);
  thalweg::python::bind_catalogue(module);
  thalweg::python::bind_rows(module);
  thalweg::python::bind_listener(module);
  thalweg::python::bind_learner(module);
}
