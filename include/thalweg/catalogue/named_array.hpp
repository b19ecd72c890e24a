// Named arrays of numbers: parameters and statistics as they stand in a model file, and as users give them.
#pragma once

#include <thalweg/core/statistic.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg {

/// A named array of numbers, as it stands in the file: nested lists of the given shape. Tables side by side, whose widths are
/// `parts`, stand there as a list of tables.
struct NamedArray {
  std::string name;
  std::vector<std::size_t> shape;
  std::vector<double> values;
  std::vector<std::size_t> parts = {};
};

/// The array of that name; null where there is none.
THALWEG_API const NamedArray* find_array(const std::vector<NamedArray>& arrays,
                                         std::string_view name);

/// The pieces of a vector as arrays: the estimated ones, or the constants.
THALWEG_API std::vector<NamedArray> arrays_of(const Named& named, bool constants = false);

/// A regular array of three extents as tables side by side; all others as they are.
THALWEG_API NamedArray as_tables(const NamedArray& array);

/// An array without a piece of its name and shape is an Error.
THALWEG_API void check_shapes(const std::vector<NamedArray>& arrays, const Layout& layout);

/// Puts arrays into the pieces of those names. A wrong shape is an Error; what is absent is left alone.
THALWEG_API void fill_from(const std::vector<NamedArray>& arrays, Named& named);

}  // namespace thalweg
