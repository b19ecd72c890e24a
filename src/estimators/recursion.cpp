#include <thalweg/estimators/recursion.hpp>

namespace thalweg {

template class Recursion<AnyModel>;

}  // namespace thalweg
