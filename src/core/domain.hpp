// Whether parameters lie where they may: by the domain that each piece of the layout names.
#pragma once

#include <thalweg/core/statistic.hpp>
#include <thalweg/export.hpp>

#include <span>
#include <string>

namespace thalweg {

/// What is wrong with the values of a piece ("\"weights\" sum to 0.9, expected 1"); empty where nothing is.
THALWEG_API std::string domain_fault(const Piece& piece, std::span<const double> values);

/// Finite, and no fault in any piece.
THALWEG_API bool in_domain(const Parameters& theta);

}  // namespace thalweg
