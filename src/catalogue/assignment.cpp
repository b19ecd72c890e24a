// The best assignment of components to components (Kuhn 1955), by shortest augmenting paths.
#include <thalweg/catalogue/merge.hpp>

#include <cmath>

namespace thalweg {

// Row by row: the cheapest path of exchanges that frees a column, by Dijkstra's algorithm on costs that the potentials u, v keep
// non-negative. Index 0 stands for "none", rows and columns count from 1.
std::vector<std::size_t> best_assignment(const std::vector<double>& profit, std::size_t n) {
  std::vector<double> u(n + 1);
  std::vector<double> v(n + 1);
  std::vector<std::size_t> row_of(n + 1);
  for (std::size_t i = 1; i <= n; ++i) {
    std::vector<double> distance(n + 1, HUGE_VAL);
    std::vector<std::size_t> before(n + 1);
    std::vector<bool> done(n + 1);
    row_of[0] = i;
    std::size_t at = 0;
    do {
      done[at] = true;
      const std::size_t row = row_of[at];
      double shortest = HUGE_VAL;
      std::size_t next = 0;
      for (std::size_t j = 1; j <= n; ++j) {
        if (done[j]) continue;
        const double cost = -profit[(row - 1) * n + j - 1] - u[row] - v[j];
        if (cost < distance[j]) {
          distance[j] = cost;
          before[j] = at;
        }
        if (distance[j] < shortest) {
          shortest = distance[j];
          next = j;
        }
      }
      for (std::size_t j = 0; j <= n; ++j) {
        if (done[j]) {
          u[row_of[j]] += shortest;
          v[j] -= shortest;
        } else {
          distance[j] -= shortest;
        }
      }
      at = next;
    } while (row_of[at] != 0);
    while (at != 0) {
      row_of[at] = row_of[before[at]];
      at = before[at];
    }
  }
  std::vector<std::size_t> order(n);
  for (std::size_t j = 1; j <= n; ++j) order[row_of[j] - 1] = j - 1;
  return order;
}

}  // namespace thalweg
