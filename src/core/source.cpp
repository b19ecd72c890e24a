// What a source is unless it says otherwise.
#include <thalweg/core/source.hpp>

namespace thalweg {

Source::~Source() = default;

bool Source::save_position(Archive& /*archive*/) const { return false; }

void Source::load_position(const Archive& /*archive*/) {}

void Source::expect_again(const Archive& /*archive*/) {}

std::uint64_t Source::stretches(std::uint64_t /*bytes*/) const { return 0; }

void Source::go_to_stretch(const Stretch& /*stretch*/) {}

std::string Source::where(std::uint64_t row) const { return "row " + std::to_string(row + 1); }

}  // namespace thalweg
