#include <thalweg/estimators/batch.hpp>

namespace thalweg {

template class Batch<AnyModel>;

}  // namespace thalweg
