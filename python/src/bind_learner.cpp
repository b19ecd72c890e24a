// The class Learner of the native module.
#include "bind.hpp"
#include "shared_learner.hpp"

#include <pybind11/stl.h>

#include <cmath>

namespace thalweg::python {

void bind_learner(py::module_& module) {
  py::class_<SharedLearner>(module, "Learner", "A model of the catalogue that learns.")
      .def(py::init<const std::string&, const Texts&, std::vector<std::string>, const py::dict&,
                    Levels>(),
           py::arg("model"), py::arg("options"), py::arg("names"), py::arg("setting"),
           py::arg("levels") = Levels{})
      .def_static("of_model", &SharedLearner::of_model, py::arg("calls"), py::arg("names"),
                  py::arg("setting"))
      .def("begin", &SharedLearner::begin, py::arg("parameters"), py::arg("bound") = -HUGE_VAL)
      .def("place", &SharedLearner::place, py::arg("parameters"))
      .def("fit", &SharedLearner::fit, py::arg("rows"), py::arg("threads") = 1,
           py::arg("listener") = py::none())
      .def("learn", &SharedLearner::learn, py::arg("rows"), py::arg("listener") = py::none())
      .def("learn_array", &SharedLearner::learn_array, py::arg("values"))
      .def_property_readonly("ready", &SharedLearner::ready)
      .def_property_readonly("provisional", &SharedLearner::provisional)
      .def_property_readonly("rows_until_ready", &SharedLearner::rows_until_ready)
      .def_property_readonly("rows", &SharedLearner::rows)
      .def_property_readonly("free_parameters", &SharedLearner::free_parameters)
      .def_property_readonly("names", &SharedLearner::names)
      .def_property_readonly("levels", &SharedLearner::levels)
      .def_property_readonly("model", &SharedLearner::model)
      .def_property_readonly("shares", &SharedLearner::shares)
      .def_property_readonly("options", &SharedLearner::options)
      .def_property_readonly("setting", &SharedLearner::setting)
      .def("parameters", &SharedLearner::parameters)
      .def("aligned", &SharedLearner::aligned)
      .def("terms", &SharedLearner::regularisation)
      .def("report", &SharedLearner::report)
      .def("explain", &SharedLearner::explain, py::arg("rows"), py::arg("what"),
           py::arg("threads") = 1)
      .def("sample", &SharedLearner::sample, py::arg("rows"), py::arg("seed"),
           py::arg("counts") = py::none())
      .def("marginal", &SharedLearner::marginal, py::arg("columns"), py::arg("setting"))
      .def("condition", &SharedLearner::condition, py::arg("given"), py::arg("values"),
           py::arg("setting"))
      .def("one_step", &SharedLearner::one_step, py::arg("rows"), py::arg("threads"),
           py::arg("setting"))
      .def_static("merge", &SharedLearner::merge, py::arg("parts"), py::arg("names"),
                  py::arg("setting"))
      .def("write", &SharedLearner::write, py::arg("path"))
      .def_static("read", &SharedLearner::read, py::arg("path"), py::arg("setting"),
                  py::arg("anew") = std::vector<std::string>())
      .def("state", &SharedLearner::state)
      .def("set_state", &SharedLearner::set_state, py::arg("state"));
}

}  // namespace thalweg::python
