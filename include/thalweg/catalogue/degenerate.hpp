// Components that the likelihood alone should not be trusted about: as thin as is allowed, of less than a row, or twice the same.
#pragma once

#include <thalweg/catalogue/fitted.hpp>
#include <thalweg/core/message.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <string_view>
#include <vector>

namespace thalweg {

struct Degeneracy {
  enum class Kind {
    thin,  // a variance at its floor: the likelihood has no maximum there, it ends where the floor is
    light,  // less than one row
    alike,  // rows can hardly tell them apart
  };
  Kind kind = Kind::thin;
  std::vector<std::size_t> components = {};  // empty: all, they share what is thin
  std::vector<std::size_t> columns = {};     // thin; empty: not of a column
  double rows = 0;                           // light: of all of them

  /// The rows themselves may be so (a constant column), rather than what became of these components.
  bool of_all(std::size_t component_count) const {
    return kind == Kind::thin && (components.empty() || components.size() == component_count);
  }
};

/// What is degenerate in a fit, by its parameters and its statistic, whatever the model. Thin is what another M-step from the
/// statistic makes wider under a higher floor.
THALWEG_API std::vector<Degeneracy> degeneracies(const Fitted& fitted);

/// "thin", in summaries for programs.
THALWEG_API std::string_view name(Degeneracy::Kind kind);

/// "component 3 is as thin as is allowed in column width".
THALWEG_API std::string sentence(const Degeneracy& found, const Fitted& fitted);

/// What helps.
THALWEG_API std::vector<Message> ways_out(const std::vector<Degeneracy>& found,
                                          const Fitted& fitted);

}  // namespace thalweg
