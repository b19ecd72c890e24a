// The scoring step at the end of an online run (one-step estimators: Le Cam 1956): from the mean of its path to where its rows ask for
// nothing more.
#pragma once

#include <thalweg/core/regularisation.hpp>
#include <thalweg/core/thread_pool.hpp>
#include <thalweg/estimators/path_mean.hpp>

#include <optional>

namespace thalweg {

/// Solves A x = mean (s - T) and goes to mean T + x. A z = z - D(E_theta[s]) z + cov(E[s | Y], d log f(Y) / dT z) is EM's own step as the
/// information in some rows of the run tells it: covariances of scores, which stay positive where second derivatives of a sample may
/// not. The system is solved in a few directions of Krylov: two E-steps over these rows for each. A step in which theta would change by
/// more than a twentieth of what is large is made in parts, and A taken again for each. Nothing where that leaves the
/// domain, or where the rows are clearly worse explained there than by `averaged`. A prior of n_0 rows against `rows` asks for n_0 / rows (S_0 - T), too.
std::optional<Scored> score_path(const Model& model, const Tangent& tangent, const Plan& plan,
                                 const PathMean& path, const Parameters& averaged,
                                 const Regularisation& regularisation, double rows,
                                 const Block& sample, const ThreadPool& pool);

}  // namespace thalweg
