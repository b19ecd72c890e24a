// Destructors of observers and reporters.
#include <thalweg/core/step.hpp>

namespace thalweg {

Reporter::~Reporter() = default;
Observer::~Observer() = default;

}  // namespace thalweg
