// What could not be read, for people and as JSON: the same words in every verb.
#pragma once

#include "report.hpp"
#include <thalweg/sources/faults.hpp>
#include <thalweg/sources/levels.hpp>

#include <cstdint>
#include <string>

namespace thalweg::app {

/// "warning: skipped 12 of 10000 rows: 9 × not a number, 3 × …", and the first few word for word; empty when all went well.
/// `used` are the rows that were not skipped.
std::string faults_text(const Faults& faults, std::uint64_t used);

/// "warning: 3 cells of column colour held levels the model has not seen (teal, mauve): taken as missing", a line a column.
std::string unknown_levels_text(const UnknownLevels& unknown);

Json unknown_levels_json(const UnknownLevels& unknown);  // null when there are none

Json faults_json(const Faults& faults);  // null when all went well

}  // namespace thalweg::app
