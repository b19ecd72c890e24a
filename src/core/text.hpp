// Numbers to text and back, bit for bit and deaf to the locale.
#pragma once

#include <thalweg/export.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace thalweg {

/// The whole text as a number; nothing when it is not one, or does not fit a double.
THALWEG_API std::optional<double> to_number(std::string_view text);
THALWEG_API std::optional<std::uint64_t> to_count(std::string_view text);

/// The shortest text that reads back as the same double.
THALWEG_API std::string to_text(double number);
THALWEG_API void append_text(std::string& out, double number);

}  // namespace thalweg
