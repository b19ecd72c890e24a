// Ranks of columns and of their sums, and the share of their variance that lies between stretches.
#include "core/order_test.hpp"

#include <thalweg/core/random.hpp>
#include <thalweg/core/schedule.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace thalweg {
namespace {

// Of 4,096 rows in 64 stretches chance gives a share of 0 with a standard deviation of 0.003.
constexpr double share_that_misleads = 0.03;
constexpr std::size_t fewest_stretches = 8;
constexpr std::size_t fewest_rows = 200;
constexpr std::size_t columns_looked_at = 64;
constexpr std::size_t sums_of_columns = 8;
constexpr std::uint64_t order_test_salt = 0x6f74657374;

/// From -1 to 1, ties in the middle of theirs; a missing cell is less than all.
std::vector<double> centred_ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&values](std::size_t i) {
    return std::isnan(values[i]) ? -HUGE_VAL : values[i];
  };
  std::sort(order.begin(), order.end(),
            [&key](std::size_t a, std::size_t b) { return key(a) < key(b); });
  std::vector<double> ranks(values.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && key(order[end]) == key(order[begin])) ++end;
    const double rank = (real(begin + end) - real(order.size())) / real(order.size());
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = rank;
  }
  return ranks;
}

/// omega squared of an analysis of variance in one way: what lies between stretches, less what chance puts there.
double share_between(const std::vector<double>& scores, const std::vector<std::size_t>& begins) {
  const double n = real(scores.size());
  const double mean = std::accumulate(scores.begin(), scores.end(), 0.0) / n;
  double total = 0;
  for (const double score : scores) total += (score - mean) * (score - mean);
  if (total <= 1e-12 * n) return 0;
  double between = 0;
  for (std::size_t g = 0; g < begins.size(); ++g) {
    const std::size_t end = g + 1 < begins.size() ? begins[g + 1] : scores.size();
    double sum = 0;
    for (std::size_t t = begins[g]; t < end; ++t) sum += scores[t] - mean;
    between += sum * sum / real(end - begins[g]);
  }
  const double freedom = real(begins.size() - 1);
  const double within = (total - between) / (n - 1 - freedom);
  return (between - freedom * within) / (total + within);
}

/// Of where the values lie, or of how far from the middle.
double larger_share(const std::vector<double>& ranks, const std::vector<std::size_t>& begins) {
  std::vector<double> spread(ranks.size());
  std::transform(ranks.begin(), ranks.end(), spread.begin(), [](double r) { return std::abs(r); });
  return std::max(share_between(ranks, begins), share_between(spread, begins));
}

/// All, or some that are spread over them.
std::vector<std::size_t> columns_to_look_at(std::size_t columns) {
  const std::size_t count = std::min(columns, columns_looked_at);
  std::vector<std::size_t> chosen(count);
  for (std::size_t i = 0; i < count; ++i) chosen[i] = i * columns / count;
  return chosen;
}

}  // namespace

void OrderTest::add(const Block& stretch) {
  if (stretch.rows == 0 || stretch.is_sparse()) return;
  begins_.push_back(rows_.rows());
  rows_.append(stretch.slice(0, std::min(stretch.rows, rows_of_a_stretch)));
}

std::optional<OrderTest::Found> OrderTest::found() const {
  const std::size_t n = rows_.rows();
  if (begins_.size() < fewest_stretches || n < std::max(fewest_rows, 4 * begins_.size()))
    return std::nullopt;
  Found most;
  const auto compare = [&](double share, std::optional<std::size_t> column, bool labels) {
    if (share > most.share) most = {.share = share, .column = column, .labels = labels};
  };
  const Block block = rows_.block();
  if (block.side.label) compare(larger_share(centred_ranks(rows_.labels()), begins_), {}, true);
  std::vector<std::vector<double>> ranks;
  std::vector<double> values(n);
  for (const std::size_t j : columns_to_look_at(rows_.columns())) {
    for (std::size_t t = 0; t < n; ++t) values[t] = block.row(t)[j];
    ranks.push_back(centred_ranks(values));
    compare(larger_share(ranks.back(), begins_), j, false);
  }
  for (std::size_t i = 0; ranks.size() > 1 && i < sums_of_columns; ++i) {
    Random random(order_test_salt, i);
    std::fill(values.begin(), values.end(), 0.0);
    for (const std::vector<double>& column : ranks) {
      const double factor = random.uniform() - 0.5;
      for (std::size_t t = 0; t < n; ++t) values[t] += factor * column[t];
    }
    compare(larger_share(centred_ranks(values), begins_), {}, false);
  }
  // Few rows give more by chance: five standard deviations of it.
  const double chance = 5 * std::sqrt(2 * real(begins_.size())) / real(n);
  if (most.share < std::max(share_that_misleads, chance)) return std::nullopt;
  return most;
}

std::optional<OrderTest::Found> order_of(const Block& rows) {
  OrderTest test(rows.columns);
  const std::size_t stretches = std::min(OrderTest::stretches, rows.rows / 16);
  for (std::size_t g = 0; g < stretches; ++g) {
    const std::size_t begin = g * rows.rows / stretches;
    const std::size_t end = (g + 1) * rows.rows / stretches;
    test.add(rows.slice(begin, std::min(end - begin, OrderTest::rows_of_a_stretch)));
  }
  return test.found();
}

std::string in_words(const OrderTest::Found& found, const std::vector<std::string>& columns) {
  const std::string what = found.labels   ? "labels differ"
                           : found.column ? "column \"" + columns[*found.column] + "\" differs"
                                          : "columns together differ";
  return what + " from part to part of the input";
}

}  // namespace thalweg
