// Eigenvalues of a symmetric matrix, for repairs: rare, so Eigen's solver will do.
#include <thalweg/kernels/cholesky.hpp>

#include <Eigen/Eigenvalues>

namespace thalweg::kernels {

bool symmetric_eigen(const double* a, std::size_t d, double* values, double* vectors) {
  const auto n = static_cast<Eigen::Index>(d);
  Eigen::MatrixXd matrix(n, n);
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = a[packed_at(i, j)];
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);  // reads the lower half
  if (solver.info() != Eigen::Success) return false;
  Eigen::Map<Eigen::VectorXd>(values, n) = solver.eigenvalues();
  Eigen::Map<Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      vectors, n, n) = solver.eigenvectors();
  return true;
}

}  // namespace thalweg::kernels
