#include <thalweg/families/poisson.hpp>

#include <cmath>

namespace thalweg {

// std::lgamma writes a global sign, which two threads must not do at once.
double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

const std::array<double, 1024> log_factorials = [] {
  std::array<double, 1024> table{};
  for (std::size_t y = 0; y < table.size(); ++y) table[y] = log_gamma(static_cast<double>(y) + 1.0);
  return table;
}();

}  // namespace thalweg
