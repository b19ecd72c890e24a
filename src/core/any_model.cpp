#include <thalweg/core/any_model.hpp>

namespace thalweg {

AnyModel::~AnyModel() = default;

}  // namespace thalweg
