// The list of all models by name: a model joins by one file in src/catalogue and one line in catalogue.cpp.
#pragma once

#include <thalweg/catalogue/entry.hpp>
#include <thalweg/export.hpp>

#include <string_view>
#include <vector>

namespace thalweg {

THALWEG_API const std::vector<Entry>& catalogue();

/// The entry of that name; an unknown one is a UsageError that suggests the nearest.
THALWEG_API const Entry& find_entry(std::string_view name);

}  // namespace thalweg
