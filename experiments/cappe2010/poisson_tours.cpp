// Figures 5 and 6: batch, incremental and online EM against tours of a fixed record, from 500 random starts. Beside them, passes to
// the maximum by every method, and the gradient recursion beside online EM.
#include "two_poissons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace cappe2010 {
namespace {

constexpr std::uint64_t frozen = 5;  // rows before the first M-step, as in the source

RecursionOptions textbook() {
  return {
      .step = Schedule::power(0.6), .warmup = frozen, .average = {.kind = Averaging::Kind::off}};
}

}  // namespace

void tours(const Study& study) {
  constexpr std::size_t count = 5;
  const TwoPoissons two;
  const std::size_t R = study.replications(500);
  Boxes boxes;
  for (const std::size_t n : {100U, 1'000U}) {
    const Table record = two.draw(n, 4'000'000 + n);
    const Block rows = record.block();
    enum Method { batch, incremental, online, methods };
    constexpr std::array<const char*, methods> names = {"batch", "incremental", "online"};
    std::array<std::array<std::vector<double>, count>, methods> found;
    for (auto& method : found)
      for (auto& tour : method) tour.resize(R);
    study.replicate(R, [&](std::size_t r) {
      Random random(40, r);
      const double first = 0.5 + 4.5 * random.uniform();
      const double second = 0.5 + 4.5 * random.uniform();
      const Parameters start = two.at(0.5, first, second);
      Batch all(two.model, two.schema, {.tolerance = 0});
      Incremental row_by_row(two.model, two.schema,
                             {.batch_size = 1, .warmup = frozen, .tolerance = 0});
      Recursion stream(two.model, two.schema, textbook());
      all.begin(start);
      row_by_row.begin(start);
      stream.begin(start);
      for (std::size_t tour = 0; tour < count; ++tour) {
        all.iterate(rows);
        row_by_row.iterate(rows);
        stream.learn(rows);
        found[batch][tour][r] = two.mean_log_likelihood(all.parameters(), rows);
        found[incremental][tour][r] = two.mean_log_likelihood(row_by_row.parameters(), rows);
        found[online][tour][r] = two.mean_log_likelihood(stream.parameters(), rows);
      }
    });
    for (std::size_t m = 0; m < methods; ++m)
      for (std::size_t tour = 0; tour < count; ++tour)
        boxes.add(fmt::format("{} {}", n, names[m]), static_cast<double>(tour + 1), found[m][tour]);
  }
  boxes.write(study.path("tours"));
}

void passes(const Study& study) {
  constexpr std::uint64_t longest = 240;
  const TwoPoissons two;
  Curves curves;
  for (const std::size_t n : {1'000U, 100'000U}) {
    const Table record = two.draw(n, 7'000'000 + n);
    const Block rows = record.block();
    Batch maximum(two.model, two.schema, {.tolerance = 1e-13});
    maximum.begin(two.start);
    maximum.run(rows);
    const double best = maximum.log_likelihood() / static_cast<double>(n);
    const std::string panel = std::to_string(n);
    const auto mark = [&](const char* series, std::uint64_t pass, const Parameters& theta) {
      curves.add(panel, series, static_cast<double>(pass),
                 best - two.mean_log_likelihood(theta, rows));
    };
    for (const bool leaps : {false, true}) {
      Batch batch(
          two.model, two.schema,
          {.tolerance = 0, .accelerate = leaps ? Acceleration::squarem : Acceleration::none});
      batch.begin(two.start);
      for (std::uint64_t pass = 1; pass <= longest; ++pass) {
        batch.iterate(rows);
        mark(leaps ? "SQUAREM" : "batch EM", pass, batch.parameters());
      }
    }
    Incremental incremental(two.model, two.schema,
                            {.batch_size = 1, .warmup = frozen, .tolerance = 0});
    incremental.begin(two.start);
    Recursion online(two.model, two.schema, textbook());
    online.begin(two.start);
    RecursionOptions with_average = textbook();
    with_average.average = {};
    Recursion averaged(two.model, two.schema, with_average);
    averaged.begin(two.start);
    for (std::uint64_t pass = 1; pass <= longest; ++pass) {
      incremental.iterate(rows);
      mark("incremental EM", pass, incremental.parameters());
      online.learn(rows);
      mark("online EM α = 0.6", pass, online.parameters());
      averaged.learn(rows);
      mark("online EM averaged", pass, averaged.reported());
    }
    VarianceReduced reduced(two.model, two.schema, {.tolerance = 0});
    reduced.begin(two.start);
    while (reduced.passes() < longest) {
      reduced.iterate(rows);
      mark("variance-reduced EM", reduced.passes(), reduced.parameters());
    }
  }
  curves.write(study.path("passes"));
}

void gradient(const Study& study) {
  const TwoPoissons two;
  const std::size_t R = study.replications(500);
  constexpr std::array<std::size_t, 3> lengths = {1'000, 10'000, 100'000};
  Boxes boxes;
  for (const bool ascends : {false, true}) {
    std::array<std::vector<double>, lengths.size()> smaller;
    std::array<std::vector<double>, lengths.size()> larger;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      smaller[i].resize(R);
      larger[i].resize(R);
    }
    study.replicate(R, [&](std::size_t r) {
      const Table rows = two.draw(lengths.back(), 8'000'000 + r);
      RecursionOptions options = textbook();
      options.update = ascends ? Update::gradient : Update::em;
      Recursion run(two.model, two.schema, options);
      run.begin(two.start);
      std::size_t learned = 0;
      for (std::size_t i = 0; i < lengths.size(); ++i) {
        run.learn(rows.block().slice(learned, lengths[i] - learned));
        learned = lengths[i];
        const auto rates = run.parameters()["rates"];
        smaller[i][r] = std::min(rates[0], rates[1]);
        larger[i][r] = std::max(rates[0], rates[1]);
      }
    });
    const std::string method = ascends ? "gradient" : "online";
    for (std::size_t i = 0; i < lengths.size(); ++i)
      boxes.add(method + " smaller rate", static_cast<double>(lengths[i]), smaller[i]);
    for (std::size_t i = 0; i < lengths.size(); ++i)
      boxes.add(method + " larger rate", static_cast<double>(lengths[i]), larger[i]);
  }
  boxes.write(study.path("gradient"));
}

}  // namespace cappe2010
