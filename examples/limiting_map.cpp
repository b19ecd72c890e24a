#include <thalweg/thalweg.hpp>

#include <iostream>

int main() {
  using namespace thalweg;
  const auto model = poisson_mixture({.components = 2});
  const Schema schema = Schema::numbered(1);
  Parameters truth(model->plan(schema).parameters);
  truth["weights"][0] = 0.8;
  truth["weights"][1] = 0.2;
  truth["rates"][0] = 1;
  truth["rates"][1] = 3;
  SimulatedSource law(model, schema, truth, {.rows = 100'000, .seed = 1});
  LimitingMap map(model, law);
  Parameters theta = truth;
  theta["rates"][1] = 4.5;
  for (int k = 0; k < 5; ++k) {
    theta = map(theta);  // measures the expected log density of what it maps
    std::cout << map.expected_log_density() << '\n';
  }
}
