// The one table of options: the command makes its flags from it, Python its signatures and documentation, and both their checks and the
// words of their messages. The options of a model are rows of the same kind, which its entry owns.
#pragma once

#include "catalogue/learning_options.hpp"
#include "catalogue/reading_options.hpp"
#include "catalogue/telling_options.hpp"
#include <thalweg/core/message.hpp>
#include <thalweg/export.hpp>

#include <string>
#include <string_view>

namespace thalweg {

struct Entry;

inline constexpr auto option_table = [] {
  std::array<Option, reading_options.size() + learning_options.size() + telling_options.size()> all;
  std::size_t at = 0;
  for (const Option& row : reading_options) all[at++] = row;
  for (const Option& row : learning_options) all[at++] = row;
  for (const Option& row : telling_options) all[at++] = row;
  return all;
}();

/// A row of the table by its name; a name that is not there does not compile.
class OptionId {
 public:
  consteval OptionId(const char* name) : row_(&named(name)) {}
  constexpr OptionId(const Option& row) : row_(&row) {}

  constexpr const Option& operator*() const { return *row_; }
  constexpr const Option* operator->() const { return row_; }

 private:
  static consteval const Option& named(std::string_view name) {
    for (const Option& row : option_table)
      if (row.name == name) return row;
    throw "no such option";
  }

  const Option* row_;
};

/// The option of that name, of the table or of a model; null where there is none.
THALWEG_API const Option* find_option(std::string_view name);

/// What the model must have for the option to mean something is there.
THALWEG_API bool knows(const Entry& entry, const Option& row);

/// The class of a model in Python: PoissonMixture, PPCA.
THALWEG_API std::string python_class(const Entry& entry);
/// The argument of a model's own option there.
constexpr std::string_view python_name(const Option& row) {
  return row.python.name.empty() ? row.name : row.python.name;
}

/// A message as each face says it: "(raise --keep, or use --method online)", "(use method='online')".
THALWEG_API std::string in_command(const Message& message);
THALWEG_API std::string in_python(const Message& message);

/// The help of a row with its default behind it, options in braces for Message::parse: "online passes over the rows, at most (1)".
THALWEG_API std::string help_with_default(const Option& row);

}  // namespace thalweg
