// The library's errors as Python exceptions: all are ValueErrors, as scikit-learn's users expect.
#include "bind.hpp"
#include "own_model.hpp"
#include <thalweg/core/error.hpp>

#include <array>
#include <exception>
#include <regex>
#include <string>
#include <utility>

namespace thalweg::python {
namespace {

/// The library's advice names the command's flags; here they are arguments.
std::string in_python(const std::string& message) {
  if (message.find("--") == std::string::npos) return message;
  static const std::array<std::pair<std::regex, const char*>, 9> words = {{
      {std::regex("([ (])--on-error (missing|skip)"), "$1thalweg.Files(…, on_error='$2')"},
      {std::regex("([ (])--(columns|format|width)"), "$1thalweg.Files(…, $2=…)"},
      {std::regex(R"( --levels \S+=\S*[^\s)])"), " categories"},
      {std::regex(R"(\(raise (it|--keep), or use )"), "(use "},
      {std::regex("into --keep"), "into the memory for rows"},
      {std::regex(R"(\(--init\))"), "(give them all to the constructor)"},
      {std::regex("([ (])--(method|step|model) ([^\\s),;:]+)"), "$1$2='$3'"},
      {std::regex(" --(covariance|mstep|passes|categorical|levels)"), " $1"},
      {std::regex("--one-step-from"), "one_step"},
  }};
  std::string told = message;
  for (const auto& [flag, argument] : words) told = std::regex_replace(told, flag, argument);
  return told;
}

}  // namespace

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
      raise(usage, in_python(what.what()));
    } catch (const RowError& what) {
      raise(row, in_python(what.what()));
    } catch (const ModelError& what) {
      raise(model, what.what());  // in the user's own words
    } catch (const Error& what) {
      raise(error, in_python(what.what()));
    }
  });
}

}  // namespace thalweg::python
