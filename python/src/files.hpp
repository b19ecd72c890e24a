// Rows of files, read by the data plane as thalweg.Files says.
#pragma once

#include "rows.hpp"
#include "sources/places.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace thalweg::python {

using LevelsByColumn = std::map<std::string, std::vector<std::string>>;

/// `reading` has the arguments of thalweg.Files, and `by_position`, `threads`. With `levels`, by column, every column is read by its
/// levels; those of columns that are not named are found, and sorted. A cell with a level that is not known is refused or, with
/// `others_are_missing`, missing.
Rows rows_of_files(const std::vector<std::string>& files, const py::dict& reading,
                   const std::optional<LevelsByColumn>& levels, bool others_are_missing);

bool is_file(const Rows& rows);

/// Runs `work`; a row of a file that the model refuses is told with its place. Of others Python has words of its own.
template <class Work>
auto with_places_in_files(const Rows& rows, Work&& work) {
  return is_file(rows) ? with_places(*rows.source, work) : work();
}

/// (column, cells, first levels) of the cells that count as missing because their level is not known.
py::list unknown_levels(const Rows& rows);

/// Columns of a file, those that are not read too; None of others.
std::optional<std::size_t> fields(const Rows& rows);

/// (rows left out, cells taken as missing, the first messages) of what could not be read.
py::tuple faults(const Rows& rows);

}  // namespace thalweg::python
