// Loss of one online pass with its defaults, in units of that of the maximum-likelihood estimate from the same rows.
#include "designs.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace efficiency;
using namespace thalweg;

using Numbers = std::vector<double>;

double mean_of(const Numbers& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double median_of(Numbers values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

Table draw_rows(const Design& design, std::uint64_t rows, std::uint64_t seed) {
  SimulatedSource source(design.model, design.schema, design.truth, {.rows = rows, .seed = seed});
  Table table(design.schema.width());
  for (const Block& block : source) table.append(block);
  return table;
}

double log_likelihood(const Design& design, const Parameters& theta, const Table& rows) {
  const Plan plan = design.model->plan(design.schema);
  return expect_all(*design.model, theta, plan, rows.block()).log_likelihood();
}

struct Column {
  const char* name;
  Averaging average;
  Numbers short_of = {};    // 2 (log L(maximum) - log L(estimate)) / p on the rows of the fit
  Numbers held_out = {};    // nat a row, against the maximum
  Numbers from_truth = {};  // nat a row, on rows held out
};

void measure(const std::function<Design(std::uint64_t)>& design_of, std::uint64_t rows,
             std::uint64_t repeats) {
  std::array<Column, 3> columns{
      {{"auto", Averaging::automatic()}, {"poly:3", {}}, {"poly:1", {.eta = 1}}}};
  Numbers maximum;  // from the truth, held out
  std::string name;
  double p = 0;
  for (std::uint64_t i = 0; i < repeats; ++i) {
    const Design design = design_of(i);
    name = design.name;
    p = static_cast<double>(design.free_parameters());
    const Table table = draw_rows(design, rows, 1000 + i);
    const Table others = draw_rows(design, rows, 500'000 + i);
    Parameters best;
    double highest = 0;
    const double true_held_out = log_likelihood(design, design.truth, others);
    double best_held_out = 0;
    for (Column& column : columns) {
      Online online(design.model, design.schema, {.average = column.average});
      online.learn(table.block());
      online.finish();
      const Parameters found = online.reported();
      if (best.size() == 0) {  // the maximum to which batch EM climbs from there
        Batch batch(
            design.model, design.schema,
            {.tolerance = 1e-9, .max_iterations = 3000, .accelerate = Acceleration::squarem});
        batch.begin(found);
        batch.run(table.block());
        best = batch.parameters();
        highest = batch.log_likelihood();
        best_held_out = log_likelihood(design, best, others);
        maximum.push_back((true_held_out - best_held_out) / static_cast<double>(rows));
      }
      const double here = log_likelihood(design, found, others);
      column.short_of.push_back(2 * (highest - log_likelihood(design, found, table)) / p);
      column.held_out.push_back((best_held_out - here) / static_cast<double>(rows));
      column.from_truth.push_back((true_held_out - here) / static_cast<double>(rows));
    }
  }
  const double unit = p / (2 * static_cast<double>(rows));
  for (const Column& column : columns)
    std::printf("| %s | %llu | %llu | %s | %.2f | %.2f | %.2f | %.2f | %.2f |\n", name.c_str(),
                static_cast<unsigned long long>(rows), static_cast<unsigned long long>(repeats),
                column.name, 1 + mean_of(column.short_of), 1 + median_of(column.short_of),
                1 + *std::ranges::max_element(column.short_of),
                mean_of(column.from_truth) / mean_of(maximum),
                *std::ranges::max_element(column.held_out) / unit);
  std::fflush(stdout);
}

}  // namespace

/// efficiency [share of the repeats] [first letters of a design's name]
int main(int argc, char** argv) {
  const double share = argc > 1 ? std::atof(argv[1]) : 1;
  const std::string only = argc > 2 ? argv[2] : "";
  std::printf(
      "| law | n | repeats | average | mean | median | worst | held out | worst gap |\n"
      "|---|---|---|---|---|---|---|---|---|\n");
  const auto run = [&](const std::function<Design(std::uint64_t)>& of, std::uint64_t rows,
                       double repeats) {
    if (of(0).name.starts_with(only))
      measure(of, rows, std::max<std::uint64_t>(1, static_cast<std::uint64_t>(share * repeats)));
  };
  for (const std::uint64_t rows : {20'000U, 200'000U}) {
    const double fewer = rows > 20'000 ? 0.5 : 1;
    run([](std::uint64_t) { return two_poissons(); }, rows, 200 * fewer);
    run([](std::uint64_t) { return two_gaussians(4); }, rows, 96 * fewer);
    run([](std::uint64_t) { return two_gaussians(2.5); }, rows, 96 * fewer);
    run([](std::uint64_t) { return three_gaussians(); }, rows, 96 * fewer);
    run([](std::uint64_t) { return two_factors(); }, rows, 96 * fewer);
  }
  run(eight_gaussians, 100'000, 24);
  return 0;
}
