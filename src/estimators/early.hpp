// A coarse model of the first rows, for whoever asks before starts have been found.
#pragma once

#include <thalweg/estimators/starts.hpp>

#include <cstddef>
#include <cstdint>

namespace thalweg {

/// Rows from which there is one: some for each component.
std::uint64_t rows_of_early_model(const Plan& plan);

/// Shrunk towards what all components have in common: the usual prior counts at least as a row for each component, and a variance has a
/// floor that falls as rows come. A few guesses, a few iterations, on some of the rows where there are many.
Start find_early(const ModelHandle& model, const Schema& schema, const Plan& plan,
                 const Block& rows, const Regularisation& asked, std::uint64_t seed,
                 const ThreadPool& pool);

}  // namespace thalweg
