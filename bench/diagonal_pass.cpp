// EM iterations of a diagonal Gaussian mixture from memory, on one core.
//
//   diagonal_pass DIR N D K     reads what diagonal_data.py wrote, then makes one iteration (E-step, statistics, M-step) for
//                               every line on stdin and answers {"seconds", "log_likelihood"}, in processor time: whoever asks
//                               can interleave us with a peer
#include <thalweg/catalogue/mixtures.hpp>
#include <thalweg/estimators/expectation.hpp>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <span>
#include <string>
#include <vector>

namespace {

using namespace thalweg;

void read(const std::string& path, std::span<double> into) {
  std::ifstream file(path, std::ios::binary);
  const auto size = static_cast<std::streamsize>(into.size_bytes());
  if (!file.read(reinterpret_cast<char*>(into.data()), size)) throw Error(path + " cannot be read");
}

void serve(const std::string& folder, std::size_t N, std::size_t d, std::size_t K) {
  std::vector<double> rows(N * d);
  read(folder + "/rows", rows);
  const Block block = dense_block(rows.data(), N, d);

  const auto model = gaussian_mixture({.components = K, .covariance = Covariance::diag});
  const Plan plan = model->plan(Schema::numbered(d));
  Parameters theta(plan.parameters);
  read(folder + "/weights", theta["weights"]);
  read(folder + "/means", theta["means"]);
  read(folder + "/variances", theta["covariances"]);
  model->calibrate(block.slice(0, 1000), theta);

  for (std::string line; std::getline(std::cin, line);) {
    const std::clock_t begin = std::clock();
    const auto expectation = expect_all(*model, theta, plan, block);
    model->maximise(mean(expectation.sums()), {.rows = expectation.weight(), .floor = 0}, theta);
    const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
    std::printf("{\"seconds\": %.6f, \"log_likelihood\": %.17g}\n", seconds,
                expectation.log_likelihood());
    std::fflush(stdout);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return std::fputs("usage: diagonal_pass DIR N D K\n", stderr), 2;
  const auto number = [argv](int i) { return std::strtoul(argv[i], nullptr, 10); };
  serve(argv[1], number(2), number(3), number(4));
}
