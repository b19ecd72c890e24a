// What still moved when EM ended, and what was left to gain.
#pragma once

#include <thalweg/core/archive.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace thalweg {

/// The number that moved farthest in the last iteration, in the units of Meaning.
struct Moving {
  std::string parameter = {};  // "means"; empty: nothing moved
  std::optional<std::size_t> component = {};
  std::optional<std::size_t> row =
      {};  // two columns of a covariance, twice the same of anything else
  std::optional<std::size_t> column = {};
  double by = 0;       // in its own units
  double scaled = 0;   // in those in which 1 is large
  double gain = 0;     // nat a row, by the last iteration
  double left = 0;     // nat a row, as Aitken estimates it; infinite while gains grow
  double rate = 0;     // of the gains; 0: not known
  double allowed = 0;  // nat a row: the tolerance

  /// Iterations of plain EM that would do; nothing where the gains do not tell.
  THALWEG_API std::optional<double> iterations_left() const;
};

THALWEG_API void save(const Moving& moving, Archive& archive);
THALWEG_API Moving load_moving(const Archive& archive);

}  // namespace thalweg
