// A file may be sorted by any column, by its component, or come in runs: the order in which rows lie decides nothing.
#include "core/row_order.hpp"
#include "runs.hpp"
#include <thalweg/estimators/fit.hpp>
#include <thalweg/sources/memory.hpp>

#include <algorithm>
#include <numeric>

namespace test_row_order {

using namespace runs;

class RowOrder : public testing::Test {
 protected:
  static constexpr std::size_t n = 12000;  // most of them behind the start buffer

  /// The rows by some key, smallest first.
  template <class Key>
  Table sorted_by(const Key& key) const {
    const Block rows = stream_.table.block();
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
    Table table(2);
    for (const std::size_t t : order) {
      Block row = rows.slice(t, 1);
      row.number_from(table.rows());
      table.append(row);
    }
    return table;
  }

  std::map<std::string, Table> orders() const {
    const Block rows = stream_.table.block();
    Explanation seen;
    explain(*stream_.model, stream_.theta, rows, seen);
    const auto component = [&](std::size_t t) {
      const double* p = seen.posterior.data() + t * seen.classes;
      return std::max_element(p, p + seen.classes) - p;
    };
    return {{"as it comes", stream_.table},
            {"by the first column", sorted_by([&](std::size_t t) { return rows.row(t)[0]; })},
            {"by the second, falling", sorted_by([&](std::size_t t) { return -rows.row(t)[1]; })},
            {"by component", sorted_by(component)},
            {"in runs of components", sorted_by([&](std::size_t t) {
               return static_cast<long>(t / 800) * 10 + component(t);
             })}};
  }

  FitResult fit(const Table& table, FitOptions options, std::size_t block_rows) const {
    MemorySource source(two_columns(), table.block(), block_rows);
    return Fit(stream_.model, std::move(options)).run(source);
  }

  Stream stream_{n};
};

TEST_F(RowOrder, rows_in_memory_end_at_the_same_maximum) {
  const double best = *fit(stream_.table, {}, 100).log_likelihood;
  for (const auto& [name, table] : orders())
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const FitResult result = fit(table, {.online = {.seed = seed}}, 100);
      EXPECT_NEAR(*result.log_likelihood, best, 0.1) << name << ", seed " << seed;
      // One pass in random order is as good as one over rows that come so: within a tenth of a nat of the maximum a row.
      EXPECT_GT(*result.progressive, best / static_cast<double>(n) - 0.1) << name;
    }
}

TEST_F(RowOrder, how_the_source_cuts_changes_no_bit) {
  for (const std::uint64_t keep : {std::uint64_t{64} << 20U, std::uint64_t{n * 16 / 2 + 24}}) {
    const Parameters first = fit(stream_.table, {.keep = keep}, 0).parameters;
    for (const std::size_t cut : {1U, 7U, 999U})
      EXPECT_TRUE(same_bits(first, fit(stream_.table, {.keep = keep}, cut).parameters)) << cut;
  }
}

/// A stream that is heard as it happens is learned as it comes.
TEST_F(RowOrder, a_live_stream_keeps_its_order) {
  const FitResult result = fit(stream_.table, {.keep = 1000, .live = true}, 100);
  Online online(*stream_.model, two_columns(), {.thorough = true, .length = n});
  feed(online, stream_.table, 100);
  online.finish();
  EXPECT_TRUE(same_bits(result.parameters, online.reported()));
}

TEST_F(RowOrder, places_are_a_permutation_that_seed_and_pass_tell) {
  const Block rows = stream_.table.block();
  const auto places = [&](std::uint64_t seed, std::uint32_t pass) {
    return shuffled_places(rows, Unit::row, seed, pass);
  };
  std::vector<std::size_t> sorted = places(3, 0);
  EXPECT_EQ(sorted, places(3, 0));
  EXPECT_NE(sorted, places(4, 0));
  EXPECT_NE(sorted, places(3, 1));
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t t = 0; t < n; ++t) ASSERT_EQ(sorted[t], t);
}

}  // namespace test_row_order
