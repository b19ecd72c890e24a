// The table of options as dictionaries.
#include "options.hpp"

#include <cctype>
#include <cmath>
#include <string>
#include <vector>

namespace thalweg::python {
namespace {

namespace py = pybind11;

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

/// The default as a literal.
std::string literal(const Option& row) {
  if (!row.python.standard.empty()) return std::string(row.python.standard);
  if (row.choices.empty() && row.takes == Takes::nothing) return "False";
  if (row.standard.empty()) return "None";
  const bool number =
      row.choices.empty() && (row.takes == Takes::count || row.takes == Takes::number);
  return number ? std::string(row.standard) : quoted(row.standard);
}

std::string type_of(const Option& row, const std::string& standard) {
  if (!row.python.type.empty()) return std::string(row.python.type);
  const bool chosen = !row.choices.empty() || !row.python.choices.empty();
  const std::string type = chosen                        ? "str"
                           : row.takes == Takes::count   ? "int"
                           : row.takes == Takes::number  ? "float"
                           : row.takes == Takes::nothing ? "bool"
                           : row.takes == Takes::object  ? "Any"
                                                         : "str";
  return standard == "None" ? "Optional[" + type + "]" : type;
}

/// A sentence, in Python's words; a default that is found by itself stands behind it.
std::string sentence(const Option& row, const std::string& standard) {
  std::string text(row.python.help.empty() ? row.help : row.python.help);
  if (standard == "None" && !row.usual.empty()) text += " (" + std::string(row.usual) + ")";
  text = in_python(Message::parse(text)) + ".";
  text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text;
}

py::list words(const Choices& choices) {
  py::list all;
  for (const std::string_view word : choices) all.append(word);
  return all;
}

const char* place(const Option& row) {
  switch (row.python.place) {
    case InPython::Place::files:
      return "files";
    case InPython::Place::method:
      return "method";
    case InPython::Place::estimator:
      break;
  }
  return "estimator";
}

}  // namespace

Interval python_range(const Option& row) {
  Interval range = row.range;
  if (row.python.closed) range.above = false;
  return range;
}

py::dict option_dict(const Option& row) {
  using namespace pybind11::literals;
  const std::string standard = literal(row);
  const Interval range = python_range(row);
  const Choices& choices = row.python.choices.empty() ? row.choices : row.python.choices;
  const bool counts = row.takes == Takes::count;
  const bool ranged = choices.empty() && (counts || row.takes == Takes::number);
  py::object bounds = py::none();
  if (ranged) bounds = py::make_tuple(range.least, range.most, range.above);
  return py::dict(
      "name"_a = row.name, "flag"_a = row.long_flag(), "argument"_a = python_name(row),
      "in_python"_a = !row.python.name.empty(), "place"_a = place(row), "rank"_a = row.python.rank,
      "default"_a = standard, "help"_a = sentence(row, standard), "type"_a = type_of(row, standard),
      "plain"_a = row.python.type.empty(), "choices"_a = words(choices),
      "is_count"_a = counts && choices.empty(), "range"_a = bounds,
      "is_switch"_a = row.takes == Takes::nothing && choices.empty(), "decides"_a = row.decides);
}

}  // namespace thalweg::python
