// Rows that a loop of one's own brings, a few at a time: online EM learns them and can be asked at any moment.
#include <thalweg/thalweg.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

using namespace thalweg;

/// Stands for a sensor, a socket or a queue: each call brings some more rows of (length, width).
std::vector<double> next_readings(std::mt19937_64& engine, std::size_t rows) {
  std::normal_distribution<> noise;
  std::bernoulli_distribution large(0.3);
  std::vector<double> values;
  for (std::size_t t = 0; t < rows; ++t) {
    const double centre = large(engine) ? 6 : 0;
    values.push_back(centre + noise(engine));
    values.push_back(2 * centre + noise(engine));
  }
  return values;
}

int main() {
  const Schema schema{{"length", "width"}};
  const auto model = gaussian_mixture({.components = 2});
  Online online(model, schema, {.seed = 1});
  std::mt19937_64 engine(7);
  for (int message = 0; message < 500; ++message) {
    const std::vector<double> values = next_readings(engine, 40);
    online.learn(dense_block(values.data(), 40, 2));  // looked at, not kept: it may go now
    if (!online.has_model()) continue;                // fifty rows make a first, coarse one
    if (message % 100 == 99)
      std::printf("%6llu rows, first mean %.3f\n", static_cast<unsigned long long>(online.rows()),
                  online.reported()["means"][0]);
  }

  // A row that the model cannot take is refused, and nothing of its block is learned.
  const std::vector<double> broken{1, 2, std::nan(""), 3};
  bool refused = false;
  try {
    online.learn(dense_block(broken.data(), 2, 2));
  } catch (const RowError& error) {
    refused = true;
    std::printf("refused: %s\n", error.what());
  }

  online.finish();  // learns what still waits for a full mini-batch; more rows may follow
  const Parameters theta = online.reported();
  const auto weights = theta["weights"];
  const auto means = theta["means"];  // component after component
  const std::size_t small = means[0] < means[2] ? 0 : 1;
  std::printf("share %.3f at (%.2f, %.2f), the others at (%.2f, %.2f)\n", weights[small],
              means[2 * small], means[2 * small + 1], means[2 - 2 * small], means[3 - 2 * small]);
  const bool right = std::abs(weights[small] - 0.7) < 0.02 && std::abs(means[2 * small]) < 0.1 &&
                     std::abs(means[3 - 2 * small] - 12) < 0.1;
  return refused && right && online.rows() == 20'000 ? 0 : 1;
}
