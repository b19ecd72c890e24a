// One option: what each face calls it, what it takes, its default, and who knows it.
#pragma once

#include <thalweg/estimators/fit_options.hpp>

#include <array>
#include <cstddef>
#include <initializer_list>
#include <limits>
#include <string_view>

namespace thalweg {

/// What an option without choices takes.
enum class Takes {
  count,
  number,
  bytes,    // 64M
  text,     // with a syntax of its own: whoever reads it checks it
  file,     // a path
  names,    // A,B,…
  nothing,  // given or not
  object,   // in Python alone
};

/// Some words, as many as an option ever had to choose from.
class Choices {
 public:
  constexpr Choices() = default;
  constexpr Choices(std::initializer_list<std::string_view> words) {
    for (const std::string_view word : words) words_.at(size_++) = word;
  }
  constexpr const std::string_view* begin() const { return words_.data(); }
  constexpr const std::string_view* end() const { return words_.data() + size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr std::size_t size() const { return size_; }
  constexpr std::string_view operator[](std::size_t i) const { return words_.at(i); }

 private:
  std::array<std::string_view, 10> words_ = {};
  std::size_t size_ = 0;
};

/// Of a number or count.
struct Interval {
  double least = 0;
  double most = std::numeric_limits<double>::infinity();
  bool above = false;  // the least is not in it

  constexpr bool holds(double x) const {
    return (above ? x > least : x >= least) && x <= most &&
           x < std::numeric_limits<double>::infinity();
  }
};

/// The same option in Python.
struct InPython {
  enum class Place { estimator, files, method };

  std::string_view name = {};      // of the argument; empty: Python has none
  int rank = 0;                    // place in a signature: scikit-learn's own come first
  std::string_view standard = {};  // its default as a literal; empty: as the command's
  std::string_view help = {};      // empty: as the command's
  Choices choices = {};            // empty: as the command's
  std::string_view type = {};      // for type checkers, where what it takes does not tell
  Place place = Place::estimator;  // whose argument it is
  std::string_view words = {};     // without an argument: what a message calls it
  bool closed = false;             // the least of the interval is allowed here
};

/// Methods to which an option means nothing, and what to know about it.
struct Refusal {
  unsigned methods = 0;           // see among
  std::string_view because = {};  // "it has {max_iterations}"
  std::string_view unless = {};   // values that begin so are taken after all

  constexpr bool of(Method method) const {
    return (methods >> static_cast<unsigned>(method) & 1U) != 0;
  }
};

constexpr unsigned among(std::initializer_list<Method> methods) {
  unsigned set = 0;
  for (const Method method : methods) set |= 1U << static_cast<unsigned>(method);
  return set;
}

/// What a model must have for an option to mean something.
enum class Needs { nothing, components, covariances, categories };

/// What means something only where another option of the model has this value: covariances of gaussian emissions.
struct OnlyWith {
  std::string_view option = {};  // empty: always
  std::string_view value = {};
};

/// Texts name other options in braces, {keep} or {method=online}, and every face spells them.
struct Option {
  std::string_view name;  // "batch_size": in messages of the library, in model files, in settings
  std::string_view flag = {};      // "-o,--output"; empty: the command has none
  std::string_view help = {};      // a line without its end
  std::string_view standard = {};  // its default; empty: none, or see `usual`
  Choices choices = {};
  bool compares = false;       // of a model: `all` compares them, densities of the same rows
  bool in_parameters = true;   // of a model: their shapes tell it; else it says how they are found
  Takes takes = Takes::count;  // where there are no choices
  Interval range = {.least = 1};
  std::string_view usual = {};  // the default in words, where it is no plain value
  std::string_view value = {};  // "FILE": what the help of the command calls its value
  std::string_view group = {};  // its heading there
  InPython python = {};
  Needs needs = Needs::nothing;
  std::array<Refusal, 3> refused = {};
  bool decides = false;  // about the result: a checkpoint belongs to it
  std::string_view standard_before =
      {};  // the default of earlier versions: their checkpoints go on where nothing else is asked for
  OnlyWith only = {};  // of a model: an option that stands before this one

  constexpr bool is_count() const { return choices.empty() && takes == Takes::count; }

  /// "--output" of "-o,--output".
  constexpr std::string_view long_flag() const { return flag.substr(flag.find(',') + 1); }
  /// "-o" of "-o,--output": what messages say.
  constexpr std::string_view short_flag() const { return flag.substr(0, flag.find(',')); }
};

}  // namespace thalweg
