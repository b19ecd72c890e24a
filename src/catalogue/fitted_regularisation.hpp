// The regularisation of a fit (prior, floor, ridge, what is held) on its way into its model file, out of it, and into what follows it.
#pragma once

#include <thalweg/catalogue/fitted.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace thalweg {

/// What differs from the default; the prior with the constants of the parameters, which are those of the file.
THALWEG_API RegularisationRecord regularisation_record(const Fitted& fitted);

/// fitted.regularisation for its next M-step: the prior as it looks with the constants of its parameters.
THALWEG_API Regularisation regularisation_here(const Fitted& fitted);

/// n of theta-bar((n S + n_0 S_0) / (n + n_0)): the rows that a prior is weighed against. Several passes count once, and a constant
/// step G remembers (2 - G) / G mini-batches.
THALWEG_API double rows_behind(const Fitted& fitted);

/// A gradient step moves theta along a prior and takes S from theta: the prior is in these statistics already.
THALWEG_API bool prior_in_statistics(const Fitted& fitted);

/// "its floor is 0.5, not 1e-06": in what the regularisation of `other` differs from that of `one`, whose components are in the same order;
/// empty where they agree. The usual prior of a model follows the first rows of each fit: of it the strength is compared, or,
/// with `same_rows`, all.
THALWEG_API std::string regularisation_difference(const Fitted& one, const Fitted& other,
                                                  bool same_rows);

/// It follows the components: new component i is the old one order[i].
THALWEG_API void relabel_regularisation(const std::vector<std::size_t>& order, Fitted& fitted);

/// K; 1 for a model without components.
THALWEG_API std::size_t component_count(const Fitted& fitted);

/// Parameters that were estimated: without those that were held.
THALWEG_API std::size_t free_parameters(const Fitted& fitted);

}  // namespace thalweg
