// EM iterations of Armadillo's gmm_diag and gmm_full on one core, asked for like those of mixture_pass.
//
//   armadillo_pass DIR COVARIANCE D K     answers {"seconds", "log_likelihood"} to every line on stdin
//   armadillo_pass                        prints the version
//
// learn() looks over the data before its first iteration: the time is that of learn() with one iteration less that of learn()
// with none. Its likelihood comes from another call, outside of the time.
#include <armadillo>
#include <cstdio>
#include <ctime>
#include <iostream>
#include <string>

namespace {

arma::vec doubles(const std::string& path) {
  arma::vec values;
  if (!values.load(path, arma::raw_binary)) std::exit(1);
  return values;
}

arma::gmm_diag mixture(const arma::mat& means, const arma::vec& variances,
                       const arma::rowvec& weights) {
  arma::gmm_diag model;
  model.set_params(means, arma::reshape(variances, means.n_rows, means.n_cols), weights);
  return model;
}

arma::gmm_full full_mixture(const arma::mat& means, const arma::vec& covariances,
                            const arma::rowvec& weights) {
  const arma::cube shaped(covariances.memptr(), means.n_rows, means.n_rows, means.n_cols);
  arma::gmm_full model;
  model.set_params(means, shaped, weights);
  return model;
}

template <class Mixture>
double seconds_of_learning(Mixture& model, const arma::mat& rows, arma::uword iterations) {
  const std::clock_t begin = std::clock();
  if (!model.learn(rows, model.n_gaus(), arma::eucl_dist, arma::keep_existing, 0, iterations, 0,
                   false))
    std::exit(1);
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

template <class Mixture>
void serve(Mixture model, const arma::mat& rows) {
  for (std::string line; std::getline(std::cin, line);) {
    const double log_likelihood = model.avg_log_p(rows) * static_cast<double>(rows.n_cols);
    const double none = seconds_of_learning(model, rows, 0);
    const double one = seconds_of_learning(model, rows, 1);
    std::printf("{\"seconds\": %.6f, \"log_likelihood\": %.17g}\n", one - none, log_likelihood);
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 1) {
    const arma::arma_version version;
    return std::printf("\"%u.%u.%u\"\n", version.major, version.minor, version.patch), 0;
  }
  if (argc != 5) return std::fputs("usage: armadillo_pass DIR COVARIANCE D K\n", stderr), 2;
  const std::string folder = argv[1];
  const arma::uword d = std::stoul(argv[3]);
  const arma::uword K = std::stoul(argv[4]);
  // Row by row is what Armadillo calls column by column.
  arma::vec cells = doubles(folder + "/rows");
  const arma::mat rows(cells.memptr(), d, cells.n_elem / d, false, true);
  const arma::mat means = arma::reshape(doubles(folder + "/truth.means"), d, K);
  const arma::vec covariances = doubles(folder + "/truth.covariances");
  const arma::rowvec weights = doubles(folder + "/truth.weights").t();
  if (std::string(argv[2]) == "full")
    serve(full_mixture(means, covariances, weights), rows);
  else
    serve(mixture(means, covariances, weights), rows);
}
