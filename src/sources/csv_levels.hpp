// The levels of the categorical columns of a text table, known or found in its rows.
#pragma once

#include "columns.hpp"
#include "csv_part.hpp"

namespace thalweg {

class CsvReader;
struct TableOptions;

/// Completes layout.levels. An input that can be read twice is read through, in order of first appearance whatever the threads;
/// of any other the first rows are looked at, which stay the next ones.
void find_levels(CsvReader& reader, const TableOptions& options, const PickedColumns& picked,
                 CsvLayout& layout);

}  // namespace thalweg
