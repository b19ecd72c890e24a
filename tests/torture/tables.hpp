// Tables that break mixture programs, alone and in any combination: small recipes, so that a failure can be read.
#pragma once

#include <thalweg/data/table.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <ostream>
#include <random>
#include <string>
#include <vector>

namespace torture {

enum Trouble : unsigned {
  duplicates = 1U << 0U,         // half of the rows are copies of others
  few_distinct = 1U << 1U,       // fewer distinct rows than components
  mostly_one_row = 1U << 2U,     // four fifths of the rows are the same
  one_point_cluster = 1U << 3U,  // a far point, some copies of it
  ill_conditioned = 1U << 4U,    // covariance of condition 1e12 in a rotated frame
  collinear = 1U << 5U,          // a column is a linear function of the others
  constant_column = 1U << 6U,
  scales = 1U << 7U,         // columns from 1e-9 to 1e9
  far_from_zero = 1U << 8U,  // a column of values 1e9 ± 2
  outlier = 1U << 9U,        // a cell of 1e150
  weights = 1U << 10U,       // rows count 0.25, 1 or 3 times
};
inline constexpr unsigned trouble_kinds = 11;
inline constexpr std::array<const char*, trouble_kinds> trouble_names{
    "duplicates",      "few_distinct", "mostly_one_row",  "one_point_cluster",
    "ill_conditioned", "collinear",    "constant_column", "scales",
    "far_from_zero",   "outlier",      "weights"};

struct Recipe {
  unsigned seed = 1;
  std::size_t components = 3;
  std::size_t clusters = 2;
  std::size_t more_rows = 100;  // beyond one a component
  std::size_t columns = 3;
  unsigned troubles = 0;

  std::size_t rows() const { return components + more_rows; }
  bool has(Trouble trouble) const { return (troubles & trouble) != 0; }
};

inline std::ostream& operator<<(std::ostream& out, const Recipe& r) {
  out << "{seed " << r.seed << ", " << r.rows() << " rows, " << r.columns << " columns, "
      << r.clusters << " clusters, K = " << r.components;
  for (unsigned i = 0; i < trouble_kinds; ++i)
    if (r.troubles >> i & 1U) out << ", " << trouble_names[i];
  return out << "}";
}

/// Each trouble alone, none, and pairs that are worse together.
inline constexpr std::array<unsigned, 18> named_troubles{0U,
                                                         duplicates,
                                                         few_distinct,
                                                         mostly_one_row,
                                                         one_point_cluster,
                                                         ill_conditioned,
                                                         collinear,
                                                         constant_column,
                                                         scales,
                                                         far_from_zero,
                                                         outlier,
                                                         weights,
                                                         collinear | scales,
                                                         constant_column | outlier,
                                                         few_distinct | constant_column,
                                                         ill_conditioned | scales,
                                                         scales | outlier,
                                                         far_from_zero | collinear};

/// The name of a test with such a parameter.
inline std::string name_of_troubles(unsigned troubles) {
  std::string names;
  for (unsigned i = 0; i < trouble_kinds; ++i)
    if (troubles >> i & 1U) names += std::string("_") + trouble_names[i];
  return names.empty() ? "none" : names.substr(1);
}

using Rows = std::vector<std::vector<double>>;

/// The random choices of one table.
class Cook {
 public:
  explicit Cook(const Recipe& recipe) : recipe_(recipe), random_(recipe.seed) {}

  Rows rows() {
    const std::size_t d = recipe_.columns;
    Rows centres(recipe_.clusters, std::vector<double>(d));
    for (auto& centre : centres)
      for (double& x : centre) x = 5 * normal();
    rows_.assign(recipe_.rows(), std::vector<double>(d));
    for (auto& y : rows_) {
      const auto& centre = centres[below(centres.size())];
      for (std::size_t j = 0; j < d; ++j) y[j] = centre[j] + normal();
    }
    if (recipe_.has(ill_conditioned)) squeeze();
    if (recipe_.has(one_point_cluster))
      for (std::size_t copies = 1 + below(rows_.size() / 4 + 1); copies > 0; --copies)
        rows_[rows_.size() - copies].assign(d, 40.0);
    if (recipe_.has(duplicates)) copy_over(rows_.size() / 2, rows_.size());
    if (recipe_.has(few_distinct))
      copy_over(rows_.size(), std::max<std::size_t>(recipe_.components - 1, 1));
    if (recipe_.has(mostly_one_row)) copy_over(rows_.size() * 4 / 5, 1);
    spoil_columns();
    std::shuffle(rows_.begin(), rows_.end(), random_);
    if (recipe_.has(outlier)) rows_[below(rows_.size())][below(d)] = 1e150;
    return rows_;
  }

  double weight() { return std::array{0.25, 1.0, 3.0}[below(3)]; }

 private:
  double normal() { return normal_(random_); }
  std::size_t below(std::size_t bound) { return random_() % bound; }

  /// The last `count` rows become copies of the first `sources`.
  void copy_over(std::size_t count, std::size_t sources) {
    for (std::size_t t = rows_.size() - count; t < rows_.size(); ++t)
      rows_[t] = Rows::value_type(rows_[below(sources)]);
  }

  /// Along a random direction u everything shrinks to a millionth: y -= (1 - 1e-6) u u'y.
  void squeeze() {
    std::vector<double> u(recipe_.columns);
    double length = 0;
    for (double& x : u) {
      x = normal();
      length += x * x;
    }
    for (auto& y : rows_) {
      double along = 0;
      for (std::size_t j = 0; j < u.size(); ++j) along += u[j] * y[j] / length;
      for (std::size_t j = 0; j < u.size(); ++j) y[j] -= (1 - 1e-6) * u[j] * along;
    }
  }

  void spoil_columns() {
    const std::size_t d = recipe_.columns;
    if (recipe_.has(collinear) && d > 1) {
      const std::size_t target = below(d);
      for (auto& y : rows_) {
        double sum = 0.5;
        for (std::size_t j = 0; j < d; ++j)
          if (j != target) sum += (j % 2 == 0 ? 1.5 : -0.7) * y[j];
        y[target] = sum;
      }
    }
    if (recipe_.has(far_from_zero)) {
      const std::size_t target = below(d);
      for (auto& y : rows_) y[target] = 1e9 + 2 * std::tanh(y[target] / 5);
    }
    if (recipe_.has(scales))
      for (std::size_t j = 0; j < d; ++j) {
        const double factor = std::pow(10.0, static_cast<double>(below(19)) - 9);
        for (auto& y : rows_) y[j] *= factor;
      }
    if (recipe_.has(constant_column)) {
      const std::size_t target = below(d);
      const double value = std::array{0.0, 3.7, -1e9, 1e-9}[below(4)];
      for (auto& y : rows_) y[target] = value;
    }
  }

  Recipe recipe_;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
  Rows rows_;
};

inline thalweg::Table table(const Recipe& recipe) {
  Cook cook(recipe);
  thalweg::Table out(recipe.columns);
  for (const auto& y : cook.rows())
    out.append_row(y.data(), recipe.has(weights) ? cook.weight() : 1.0);
  return out;
}

}  // namespace torture
