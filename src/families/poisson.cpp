#include <thalweg/families/poisson.hpp>

#include <array>
#include <cmath>

namespace thalweg {
namespace {

constexpr std::size_t table_size = 1024;

// std::lgamma writes a global sign, which two threads must not do at once.
double log_gamma(double x) {
  int sign = 0;
  return ::lgamma_r(x, &sign);
}

std::array<double, table_size> make_table() {
  std::array<double, table_size> table{};
  for (std::size_t y = 0; y < table_size; ++y) table[y] = log_gamma(static_cast<double>(y) + 1.0);
  return table;
}

const std::array<double, table_size> table = make_table();

}  // namespace

double log_factorial(double y) {
  return y < static_cast<double>(table_size) ? table[static_cast<std::size_t>(y)]
                                             : log_gamma(y + 1.0);
}

}  // namespace thalweg
