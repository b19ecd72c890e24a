// A law: a sentence of mathematics that every model of the catalogue obeys, under every estimator to which it applies.
#pragma once

#include "subject.hpp"

#include <array>
#include <string_view>
#include <vector>

namespace laws {

/// Who is held to a law: the model alone (and its files), or the model under an estimator.
enum class Who : std::size_t {
  model,
  batch,
  recursion,
  online,
  fit,
  squarem,
  incremental,
  variance_reduced,
  gradient,
};
inline constexpr std::array<std::string_view, 9> who_names = {
    "model",   "batch",       "recursion",        "online",  "fit",
    "squarem", "incremental", "variance_reduced", "gradient"};

/// Finds its own starts and gauge; the others must be given them.
inline bool finds_starts(Who who) { return who == Who::online || who == Who::fit; }

/// Has the E-step of all rows behind its last word.
inline bool knows_all_rows(Who who) {
  return who == Who::batch || who == Who::squarem || who == Who::incremental ||
         who == Who::variance_reduced;
}

enum class Strength : std::size_t {
  exact,           // the same bits, or a plain yes
  tolerance,       // up to rounding, or a bound that the law states
  statistical,     // up to sampling error, fixed seeds
  not_applicable,  // the law says why
};
inline constexpr std::array<std::string_view, 4> strength_names = {"exact", "tolerance",
                                                                   "statistical", "-"};

struct Trial {
  const Subject& subject;
  Who who;
  Strength strength;
};

struct Law {
  std::string_view name;
  std::string_view sentence;
  void (*hold)(const Trial&);
  std::array<Strength, who_names.size()> cells;
  std::string_view why_not;                    // where it does not apply
  bool (*concerns)(const Subject&) = nullptr;  // null: every model

  Strength strength(Who who) const { return cells[static_cast<std::size_t>(who)]; }
};

/// The table law × estimator.
const std::vector<Law>& table();

/// Ends a law that the table promises for somebody whom the law does not know.
[[noreturn]] void not_written(const Trial& trial);

}  // namespace laws
