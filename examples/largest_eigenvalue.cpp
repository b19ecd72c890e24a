// The largest eigenvalue of a covariance matrix while the rows flow past: PPCA with one factor, whose maximum of the likelihood is
// u = (l_1 - noise)^½ times the first eigenvector, so that l_1 = |u|² + noise (Cappé 2010, the running example). A step costs
// O(d), and no d × d matrix is ever made.
#include <thalweg/thalweg.hpp>

#include <cmath>
#include <cstdio>

using namespace thalweg;

int main() {
  constexpr std::size_t d = 20;
  const Schema schema = Schema::numbered(d);
  const auto model = ppca({.rank = 1});

  // Rows with covariance 5 I + u u', u of length 1 along the first column: l_1 = 6, the others 5.
  Parameters truth(model->plan(schema).parameters);
  truth["loadings"][0] = 1;
  truth["noise_variance"][0] = 5;
  SimulatedSource rows(model, schema, truth, {.rows = 200'000, .seed = 1});

  Online online(model, schema);
  const auto show = [&] {
    const Parameters theta = online.reported();
    double squared = 0;
    for (const double u : theta["loadings"]) squared += u * u;
    const double noise = theta["noise_variance"][0];
    std::printf(
        "%8llu rows  |u|² %.4f  noise %.4f  largest eigenvalue %.4f  cosine to the truth %.3f\n",
        static_cast<unsigned long long>(online.rows()), squared, noise, squared + noise,
        std::abs(theta["loadings"][0]) / std::sqrt(squared));
    return std::abs(squared + noise - 6);
  };
  std::uint64_t next = 2000;
  for (const Block& block : rows) {
    online.learn(block);
    if (online.started() && online.rows() >= next) {
      show();
      next *= 10;
    }
  }
  online.finish();
  return show() < 0.1 ? 0 : 1;  // sampling leaves some 6 sqrt(2/200000) = 0.02
}
