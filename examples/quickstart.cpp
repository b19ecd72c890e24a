#include <thalweg/thalweg.hpp>

#include <iostream>

int main() {
  auto rows = thalweg::csv("examples/data/faithful.csv");
  auto model =
      thalweg::gaussian_mixture({.components = 2, .covariance = thalweg::Covariance::diag});
  thalweg::Online online(model, rows.schema(), {.step = thalweg::Schedule::power(0.6)});
  for (const thalweg::Block& block : rows) online.learn(block);
  online.finish();
  for (double mean : online.reported()["means"]) std::cout << mean << '\n';
}
