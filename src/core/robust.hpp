// Where a column lies and how wide it is, told by quantiles: outliers do not reach it.
#pragma once

#include <thalweg/export.hpp>

#include <vector>

namespace thalweg {

struct ColumnGauge {
  double shift = 0;
  double scale = 1;
};

/// Median, and the narrowest central range that is not empty as a normal standard deviation. A column that is constant, but for
/// less than one row in a hundred, is as wide as its value is large.
THALWEG_API ColumnGauge robust_gauge(std::vector<double> column);

}  // namespace thalweg
