// Where a column lies and how wide it is, by quantiles.

#include "robust.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace thalweg {

ColumnGauge robust_gauge(std::vector<double> column) {
  struct Range {
    double tail;    // share of the data outside, on each side
    double normal;  // width of that range for a standard normal
  };
  constexpr std::array<Range, 4> ranges{
      {{0.25, 1.3489795}, {0.10, 2.5631031}, {0.02, 4.1074978}, {0.005, 5.1516586}}};
  const auto quantile = [&column](double q) {  // sorts no more than it has to
    const auto at = column.begin() + std::lround(q * static_cast<double>(column.size() - 1));
    std::nth_element(column.begin(), at, column.end());
    return *at;
  };
  const double median = quantile(0.5);
  for (const Range& range : ranges) {
    const double width = quantile(1.0 - range.tail) - quantile(range.tail);
    if (width > 0 && std::isfinite(width)) return {median, width / range.normal};
  }
  return {median, median == 0.0 ? 1.0 : std::abs(median)};  // a constant column, or all but
}

}  // namespace thalweg
