// Two sets of parameters, compared on some rows of a stream.
#pragma once

#include <thalweg/core/model.hpp>

namespace thalweg {

/// By how much the log density of a row is higher on average, if by more than three standard errors of the mean; 0 otherwise.
double sure_gain(const Model& model, const Parameters& from, const Parameters& to,
                 const Block& rows);

}  // namespace thalweg
