#include <thalweg/core/source.hpp>

namespace thalweg {

Source::~Source() = default;

std::string Source::where(std::uint64_t row) const { return "row " + std::to_string(row + 1); }

}  // namespace thalweg
