// The catalogue as Python sees it: what the classes, their signatures and their documentation are made from.
#include "bind.hpp"
#include "core/change.hpp"
#include "options.hpp"
#include <thalweg/catalogue/catalogue.hpp>

#include <pybind11/stl.h>

namespace thalweg::python {
namespace {

const char* latent_name(Latent latent) {
  switch (latent) {
    case Latent::components:
      return "components";
    case Latent::states:
      return "states";
    case Latent::factors:
      return "factors";
  }
  return "";
}

py::dict entry_dict(const Entry& entry) {
  py::list options;
  for (const Option& row : entry.options) {
    py::dict option = option_dict(row);
    option["default"] = row.standard;
    options.append(option);
  }
  py::list arguments;  // of its class, beside its own
  for (const Option& row : option_table)
    if (row.python.rank > 0 && knows(entry, row)) arguments.append(option_dict(row));
  py::list parameters;
  for (const ParameterInfo& parameter : entry.parameters) {
    using namespace pybind11::literals;
    const Piece* const piece = entry.layout.find(parameter.name);
    parameters.append(py::dict("name"_a = parameter.name, "shape"_a = parameter.shape,
                               "meaning"_a = parameter.meaning,
                               "covariance"_a = piece && piece->domain == Domain::covariance));
  }
  const Piece* const shares = row_shares(entry.layout);
  using namespace pybind11::literals;
  return py::dict("latent"_a = latent_name(entry.latent), "parts"_a = entry.parts != nullptr,
                  "method"_a = entry.python.method, "shares"_a = shares ? shares->name : "",
                  "name"_a = entry.name, "summary"_a = entry.summary, "density"_a = entry.density,
                  "class"_a = python_class(entry), "options"_a = options, "arguments"_a = arguments,
                  "parameters"_a = parameters, "size"_a = entry.has_size() ? entry.size().name : "",
                  "has_components"_a = entry.has_components(),
                  "takes_missing"_a = entry.takes_missing,
                  "takes_counts_only"_a = entry.takes_counts_only && !entry.takes_categories,
                  "takes_positive_only"_a = entry.takes_positive_only,
                  "takes_categories"_a = entry.takes_categories, "in_python"_a = entry.in_python);
}

}  // namespace

void bind_catalogue(py::module_& module) {
  module.def(
      "models",
      [] {
        py::list all;
        for (const Entry& entry : catalogue()) all.append(entry_dict(entry));
        return all;
      },
      "What the catalogue knows of every model.");
  module.def(
      "options",
      [] {
        py::list all;
        for (const Option& row : option_table) {
          py::dict option = option_dict(row);
          option["for_all"] = row.needs == Needs::nothing;
          all.append(option);
        }
        return all;
      },
      "The table of options, but for those of models.");
}

}  // namespace thalweg::python
