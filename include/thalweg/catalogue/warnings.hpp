// Why a fit should not be trusted as it is: found once, said by every face in its own words.
#pragma once

#include <thalweg/catalogue/degenerate.hpp>
#include <thalweg/catalogue/fit_job.hpp>
#include <thalweg/core/message.hpp>
#include <thalweg/export.hpp>

#include <optional>
#include <string_view>
#include <vector>

namespace thalweg {

struct Warning {
  enum class Kind {
    degenerate,     // see Degeneracy
    not_converged,  // iterations ended before the stop rule was content
    still_climbs,   // the stop rule was content too early
    too_short,      // an online run that remembers its start
    no_better,      // than one component
    on_the_way,  // what the job was told when it was found: of rows that lie sorted, and of what kept rows decided
  };
  Kind kind = Kind::degenerate;
  Message text = {};
};

/// "not_converged", for programs.
THALWEG_API std::string_view name(Warning::Kind kind);

/// Of a fit whose components are in their last order.
THALWEG_API std::vector<Warning> warnings(const FitOutcome& outcome);

/// Nothing where nothing is degenerate.
THALWEG_API std::optional<Warning> degenerate_warning(const Fitted& fitted);

/// A method that iterates ended before its stop rule was content.
THALWEG_API bool falls_short(const FitResult& result);

}  // namespace thalweg
