// How an estimator learns, from a dictionary of options.
#include "setting.hpp"

#include "catalogue/option_values.hpp"
#include "core/text.hpp"
#include "options.hpp"
#include <thalweg/core/error.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace thalweg::python {
namespace {

namespace py = pybind11;

const Option& row_of(const std::string& name) {
  const auto row = std::ranges::find(option_table, name, &Option::name);
  if (row == option_table.end()) throw UsageError("unknown setting " + name);
  return *row;
}

/// Where every estimator has another default than the command.
void set_defaults(OptionValues& values) {
  for (const Option& row : option_table) {
    std::string_view standard = row.python.standard;
    if (standard.empty() || standard == "None" || row.needs != Needs::nothing) continue;
    if (standard.starts_with('\'')) standard = standard.substr(1, standard.size() - 2);
    values.set(row, std::string(standard));
  }
}

/// A value as the text that its row takes.
std::string text_of(const Option& row, py::handle value) {
  if (!row.choices.empty()) return value.cast<std::string>();
  if (row.takes == Takes::number) return to_text(value.cast<double>());
  if (row.takes != Takes::count) {
    const bool off = py::isinstance<py::bool_>(value) && !value.cast<bool>();
    return off ? "off" : py::str(value).cast<std::string>();
  }
  if (PyIndex_Check(value.ptr()) == 0)
    throw UsageError(option(std::string(row.name)) + " has to be a whole number, got " +
                     py::repr(value).cast<std::string>());
  const auto index = py::reinterpret_steal<py::int_>(PyNumber_Index(value.ptr()));
  if (!index) throw py::error_already_set();
  return py::str(py::handle(index)).cast<std::string>();
}

}  // namespace

Setting setting_of(const py::dict& given) {
  OptionValues values;
  set_defaults(values);
  bool leaps = false;
  for (const auto& [key, value] : given) {
    const Option& row = row_of(key.cast<std::string>());
    if (value.is_none()) continue;
    const std::string text = text_of(row, value);
    leaps = leaps || (row.name == "method" && text == "squarem");  // batch EM by another name
    values.set(row, row.name == "method" && text == "squarem" ? "batch" : text, python_range(row));
  }
  FitOptions fit = fit_options(values);
  // An estimator has all arguments, whatever its method: those of another one wait.
  if (!streams(fit.method) && fit.method != Method::automatic) fit.passes = 1;
  if (fit.method == Method::gradient) fit.regularisation.ridge = 0;
  if (fit.method == Method::batch) {  // with scikit-learn's habits; rows are read where they lie
    fit.batch.stop_by = StopBy::change;
    fit.runs = values.count("n_init");
    fit.keep = 0;
    if (leaps) fit.batch.accelerate = Acceleration::squarem;
  } else {
    fit.batch.max_iterations = std::max<std::uint64_t>(fit.batch.max_iterations, 1);
  }
  return {.fit = std::move(fit)};
}

}  // namespace thalweg::python
