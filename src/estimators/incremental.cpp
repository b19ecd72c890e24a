#include <thalweg/estimators/incremental.hpp>

namespace thalweg {

template class Incremental<AnyModel>;

}  // namespace thalweg
