// Rows kept from all over a stream: every row as likely as any other, the same ones in every cut; and what they decide.
#include "estimators/reservoir.hpp"
#include "runs.hpp"
#include <thalweg/estimators/expectation.hpp>
#include <thalweg/estimators/fit.hpp>
#include <thalweg/sources/memory.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace test_reservoir {

using namespace runs;

Table numbers(std::size_t n) {
  Table table(1);
  for (std::size_t t = 0; t < n; ++t) {
    const double x = static_cast<double>(t);
    table.append_row(&x);
  }
  return table;
}

std::vector<double> kept(const Reservoir& reservoir) {
  const Block rows = reservoir.block();
  return {rows.values, rows.values + rows.rows};
}

TEST(Reservoir, every_row_is_as_likely_as_any_other) {
  const Table all = numbers(1000);
  std::vector<int> counts(10);
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Reservoir reservoir(1, 50, seed);
    reservoir.add(all.block());
    std::vector<double> rows = kept(reservoir);
    ASSERT_EQ(rows.size(), 50U);
    std::sort(rows.begin(), rows.end());
    EXPECT_EQ(std::adjacent_find(rows.begin(), rows.end()), rows.end());
    for (const double row : rows) ++counts[static_cast<std::size_t>(row / 100)];
  }
  // 20,000 draws without replacement within each run: 2,000 in each tenth, with a standard deviation of at most 42.
  for (const int count : counts) EXPECT_NEAR(count, 2000, 5 * 42);
}

TEST(Reservoir, the_same_rows_in_every_cut_and_after_a_break) {
  const Table all = numbers(5000);
  Reservoir whole(1, 64, 7);
  whole.add(all.block());
  for (const std::size_t cut : {1U, 63U, 64U, 65U, 999U}) {
    std::optional<Reservoir> reservoir(std::in_place, 1, 64, 7);
    for (std::size_t t = 0; t < all.rows(); t += cut) {
      reservoir->add(all.block().slice(t, std::min(cut, all.rows() - t)));
      if (t / cut % 7 != 3) continue;
      Archive archive;
      reservoir->save(archive);
      std::istringstream in(bytes(archive));
      reservoir.emplace(1, 64, 7);
      reservoir->load(Archive::read(in));
    }
    EXPECT_EQ(kept(*reservoir), kept(whole)) << cut;
  }
  Reservoir few(1, 64, 7);
  few.add(all.block().slice(0, 10));
  EXPECT_EQ(kept(few).size(), 10U);
}

/// More work makes nothing worse: whatever the order, the result is as good as the start, the last iterate and the average, but for what
/// 4,096 rows cannot tell.
TEST(Reservoir, decides_what_a_stream_ends_with) {
  constexpr std::size_t n = 30000;
  const Stream stream(n);
  const Block rows = stream.table.block();
  std::vector<std::size_t> places(n);
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::stable_sort(places.begin(), places.end(), [&rows](std::size_t a, std::size_t b) {
    return rows.row(a)[0] < rows.row(b)[0];
  });
  Table sorted(2);
  for (const std::size_t place : places) sorted.append_row(rows.row(place));
  const auto score = [&](const Parameters& theta) {
    return expect_all(*stream.model, theta, stream.model->plan(two_columns()), rows)
               .log_likelihood() /
           static_cast<double>(n);
  };
  Online online(*stream.model, two_columns(), {.length = n});
  feed(online, sorted.block(), 1, 0, online.buffer_size());
  const double start = score(online.run().parameters());
  feed(online, sorted.block(), 1000, online.buffer_size(), n);
  online.finish();
  const double last = score(online.run().parameters());
  const double averaged = score(online.reported());

  int told = 0;
  MemorySource source(two_columns(), sorted.block(), 100);
  const FitResult result =
      Fit(stream.model, {.method = Method::online, .tell = [&told](const Remark&) { ++told; }})
          .run(source);
  const double got = score(result.parameters);
  EXPECT_GT(got, std::max({start, last, averaged}) - 0.1);
  EXPECT_EQ(told, got > averaged + 0.1 ? 1 : told) << "another result than the average is told";

  MemorySource mixed(two_columns(), rows, 100);
  told = 0;
  Fit(stream.model, {.method = Method::online, .tell = [&told](const Remark&) { ++told; }})
      .run(mixed);
  EXPECT_EQ(told, 0) << "in random order the average stands";
}

}  // namespace test_reservoir
