#include <thalweg/estimators/variance_reduced.hpp>

namespace thalweg {

template class VarianceReduced<AnyModel>;

}  // namespace thalweg
