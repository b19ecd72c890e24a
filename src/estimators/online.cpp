#include <thalweg/estimators/online.hpp>

namespace thalweg {

template class Online<AnyModel>;

}  // namespace thalweg
