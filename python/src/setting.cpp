#include "setting.hpp"

#include <thalweg/core/error.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>

namespace thalweg::python {
namespace {

namespace py = pybind11;

std::uint64_t count(const std::string& name, py::handle value, std::uint64_t lowest) {
  if (PyIndex_Check(value.ptr()) == 0)
    throw UsageError(name + " has to be a whole number, got " +
                     py::repr(value).cast<std::string>());
  const auto index = py::reinterpret_steal<py::int_>(PyNumber_Index(value.ptr()));
  if (!index) throw py::error_already_set();
  const auto number = index.cast<long long>();
  if (number < static_cast<long long>(lowest))
    throw UsageError(name + " == " + std::to_string(number) +
                     ", must be >= " + std::to_string(lowest));
  return static_cast<std::uint64_t>(number);
}

double not_negative(const std::string& name, py::handle value) {
  const auto number = value.cast<double>();
  if (!(number >= 0) || !std::isfinite(number))
    throw UsageError(name + " == " + py::repr(value).cast<std::string>() + ", must be >= 0");
  return number;
}

void set_method(const std::string& text, Setting& setting) {
  setting.climbs = text == "batch" || text == "squarem";
  if (text == "squarem") {
    setting.climb.accelerate = Acceleration::squarem;
    setting.fit.method = Method::batch;
  } else {
    setting.fit.method = parse_method(text);
  }
  // What `auto` polishes with, as the command does.
  if (setting.fit.method == Method::automatic) setting.fit.batch.accelerate = Acceleration::squarem;
}

using Setter = std::function<void(py::handle, Setting&)>;

const std::map<std::string, Setter>& setters() {
  static const std::map<std::string, Setter> all = {
      {"method", [](py::handle v, Setting& s) { set_method(v.cast<std::string>(), s); }},
      {"tol",
       [](py::handle v, Setting& s) {
         s.climb.tolerance = s.fit.batch.tolerance = not_negative("tol", v);
       }},
      {"max_iter",
       [](py::handle v, Setting& s) {
         s.climb.max_iterations = count("max_iter", v, 0);  // 0: the start is all
         s.fit.batch.max_iterations = std::max<std::uint64_t>(s.climb.max_iterations, 1);
       }},
      {"n_init", [](py::handle v, Setting& s) { s.climb.runs = count("n_init", v, 1); }},
      {"seed", [](py::handle v,
                  Setting& s) { s.climb.seed = s.fit.online.seed = count("random_state", v, 0); }},
      {"step",
       [](py::handle v, Setting& s) {
         s.fit.online.step = Schedule::parse(py::str(v).cast<std::string>());
       }},
      {"average",
       [](py::handle v, Setting& s) {
         const bool off = py::isinstance<py::bool_>(v) && !v.cast<bool>();
         s.fit.online.average = Averaging::parse(off ? "off" : py::str(v).cast<std::string>());
       }},
      {"batch_size",
       [](py::handle v, Setting& s) { s.fit.online.batch_size = count("batch_size", v, 1); }},
      {"buffer",
       [](py::handle v, Setting& s) {
         s.fit.online.buffer = count("buffer", v, 0);
         if (*s.fit.online.buffer > 0) s.climb.buffer = s.fit.online.buffer;
       }},
      {"passes", [](py::handle v, Setting& s) { s.fit.passes = count("passes", v, 1); }},
      {"floor", [](py::handle v, Setting& s) { s.fit.terms.floor = not_negative("floor", v); }},
      {"ridge", [](py::handle v, Setting& s) { s.fit.terms.ridge = not_negative("reg_covar", v); }},
  };
  return all;
}

}  // namespace

Setting setting_of(const py::dict& given) {
  Setting setting;
  for (const auto& [key, value] : given) {
    const auto name = key.cast<std::string>();
    const auto setter = setters().find(name);
    if (setter == setters().end()) throw UsageError("unknown setting " + name);
    if (!value.is_none()) setter->second(value, setting);
  }
  setting.climb.terms = setting.fit.terms;
  return setting;
}

}  // namespace thalweg::python
