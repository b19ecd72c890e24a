#include <thalweg/estimators/fit.hpp>

namespace thalweg {

template class Fit<AnyModel>;

}  // namespace thalweg
