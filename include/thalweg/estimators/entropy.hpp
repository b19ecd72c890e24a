// Entropy of the posterior, - sum_t w_t sum_k p_tk log p_tk: how much the components overlap (Biernacki, Celeux & Govaert 2000).
#pragma once

#include <thalweg/core/model.hpp>
#include <thalweg/core/thread_pool.hpp>
#include <thalweg/export.hpp>

#include <optional>

namespace thalweg {

/// In slices of fixed size, added in order: the same bits for any number of threads. Nothing for a model without components.
THALWEG_API std::optional<double> entropy(const Model& model, const Parameters& theta,
                                          const Block& rows, const ThreadPool& pool = {},
                                          Unit unit = Unit::row);

}  // namespace thalweg
