// What M-steps are told beside the statistic: priors and fixed parameters; and labels, which tell the E-step.
#include "known.hpp"
#include "laws.hpp"

#include <algorithm>
#include <cmath>

namespace laws {
namespace {

constexpr std::uint64_t B = 150;  // rows that give the gauge, where an estimator has a buffer

/// Batch EM and the recursion are handed a prior in their gauge; the others settle it themselves.
Regularisation settled(const Trial& trial, Regularisation regularisation, const Block& rows) {
  return finds_starts(trial.who)
             ? regularisation
             : settle(*trial.subject.model, regularisation, trial.subject.plan, rows);
}

/// Batch EM by hand: what it raises must not fall.
void expect_ascent(const Subject& subject, const Block& rows,
                   const Regularisation& regularisation) {
  Batch batch(subject.model, subject.example.schema,
              {.max_iterations = 60, .regularisation = regularisation});
  batch.begin(subject.blurred(rows));
  double last = -HUGE_VAL;
  for (bool done = false; !done;) {
    done = batch.iterate(rows);
    EXPECT_GE(batch.objective(), last - 1e-12 * std::abs(last)) << batch.iterations();
    last = batch.objective();
  }
  EXPECT_FALSE(batch.events().any());
}

/// Mini-batches and textbook steps where there are steps; batch EM as well as online where a fit may choose.
std::vector<Setting> settings_of(const Trial& trial, const Block& rows) {
  std::vector<Setting> all;
  const bool steps = trial.who != Who::batch && trial.who != Who::squarem;
  for (const std::size_t m : {7U, 1U}) {
    if (m == 1 && !steps) continue;
    all.push_back({.start = trial.subject.blurred(rows),
                   .batch_size = trial.subject.rows_of(m),
                   .buffer = B,
                   .warmup = trial.subject.rows_of(40),
                   .method = Method::online});
  }
  if (trial.who == Who::fit) {
    all.push_back(all.front());
    all.back().method = Method::batch;
  }
  return all;
}

}  // namespace

void prior(const Trial& trial) {
  const Subject& subject = trial.subject;
  const Table table = subject.draw_weighted(803, 121);
  const Block rows = table.block();
  if (trial.who == Who::batch)
    for (const double strength : {0.5, 20.0, 5000.0})
      expect_ascent(subject, rows, settled(trial, {.prior_strength = strength}, rows));

  const bool buffered = finds_starts(trial.who);
  const Table of_starts = subject.of_starts(rows, B);
  for (Setting& setting : settings_of(trial, rows)) {
    const Block gauge_rows = !buffered                         ? rows
                             : setting.method == Method::batch ? of_starts.block()
                                                               : subject.first(rows, B);
    const Regularisation strong =
        settle(*subject.model, {.prior_strength = 1e12}, subject.plan, gauge_rows);
    const Outcome without = run(trial, rows, setting);

    setting.regularisation = settled(trial, {.prior_strength = 1e12}, rows);
    Parameters expected = *setting.start;
    calibrate(*subject.model, gauge_rows, expected);
    maximise(*subject.model, *strong.prior, {.rows = 1e12}, expected);
    EXPECT_TRUE(close(run(trial, rows, setting).theta, expected, 1e-7));

    setting.regularisation = settled(trial, {.prior_strength = 0}, rows);
    EXPECT_TRUE(same_bits(run(trial, rows, setting).bytes, without.bytes));

    auto weightless = std::make_shared<Statistic>(*strong.prior);
    weightless->weight = 0;
    setting.regularisation = {.prior = weightless};
    const Outcome with = run(trial, rows, setting);
    if (setting.batch_size > 1) {
      EXPECT_TRUE(same_bits(with.bytes, without.bytes));
    } else {  // a row alone is learned by another route where nothing but the statistic decides
      EXPECT_TRUE(close(with.theta, without.theta, 1e-8));
    }
  }
}

void fixed(const Trial& trial) {
  const Subject& subject = trial.subject;
  const Table table = subject.draw_weighted(subject.rows_of(803), 122);
  const Block rows = table.block();
  std::vector<std::string> choices;
  for (const Piece& piece : subject.plan.parameters->pieces()) {
    if (piece.constant) continue;
    choices.push_back(piece.name);
    if (piece.by_component()) choices.push_back(piece.name + "[1]");
  }
  choices.push_back(choices[0] + "," + choices[2]);  // two pieces at once
  for (const std::string& choice : choices) {
    SCOPED_TRACE(choice);
    const auto held = std::make_shared<const Fixed>(Fixed::parse(choice));
    held->check(*subject.plan.parameters, subject.components());
    if (trial.who == Who::batch) expect_ascent(subject, rows, {.fixed = held});

    const auto expect_held = [&](const Parameters& before, const Parameters& after) {
      for (const Piece& piece : subject.plan.parameters->pieces()) {
        if (piece.constant) continue;
        const std::size_t parts = piece.by_component() ? subject.components() : 1;
        const std::size_t size = piece.size() / parts;
        for (std::size_t k = 0; k < parts; ++k) {
          const bool same = std::ranges::equal(before[piece.name].subspan(k * size, size),
                                               after[piece.name].subspan(k * size, size));
          EXPECT_EQ(same, held->holds(piece.name, k)) << piece.name << " " << k;
        }
      }
      for (const Piece& piece : subject.plan.parameters->pieces()) {
        if (piece.domain != Domain::simplex) continue;
        double sum = 0;
        for (const double w : after[piece.name]) sum += w;
        EXPECT_NEAR(sum, 1, 1e-12) << piece.name;
      }
    };
    if (trial.who == Who::model) {
      Sums sums(subject.plan.statistic);
      const Parameters before = subject.blurred(rows);
      Parameters after = before;
      expect(*subject.model, before, rows, sums);
      maximise(*subject.model, mean(sums), {.rows = sums.weight, .fixed = held.get()}, after);
      expect_held(before, after);
      continue;
    }
    for (Setting& setting : settings_of(trial, rows)) {
      setting.regularisation = {.fixed = held};
      for (const auto of : {Averaging::Of::statistic, Averaging::Of::parameters}) {
        setting.average.of = of;
        expect_held(*setting.start, run(trial, rows, setting).theta);
      }
    }
  }
}

namespace {

struct Labelled {
  Table table;
  std::vector<double> labels;
  std::vector<double> posterior;  // rows × K: 1 for the label

  Block block() const {
    Block rows = table.block();
    rows.side.label = labels.data();
    return rows;
  }
};

/// Components in the truth's shares, row t drawn from its own.
Labelled draw_labelled(const Subject& subject, std::size_t rows, std::uint64_t seed) {
  const std::size_t K = subject.components();
  const auto shares = subject.example.truth["weights"];
  Labelled out{.table = Table(subject.columns()), .labels = {}, .posterior = {}};
  std::vector<double> row(subject.columns());
  for (std::size_t t = 0; t < rows; ++t) {
    Random random(seed, t);
    double u = random.uniform();
    std::size_t k = 0;
    while (k + 1 < K && u >= shares[k]) u -= shares[k++];
    Parameters alone = subject.example.truth;
    for (std::size_t l = 0; l < K; ++l) alone["weights"][l] = l == k ? 1 : 0;
    draw(*subject.model, alone, random, row.data());
    out.table.append_row(row.data(), 0.5 * static_cast<double>(1 + t % 5));
    out.labels.push_back(static_cast<double>(k));
    for (std::size_t l = 0; l < K; ++l) out.posterior.push_back(l == k ? 1 : 0);
  }
  return out;
}

/// sum_t w_t (log w_k + log g_k(y_t)), k the label of the row.
double complete_log_likelihood(const Subject& subject, const Parameters& theta,
                               const Labelled& rows) {
  double sum = 0;
  for (std::size_t t = 0; t < rows.labels.size(); ++t) {
    const auto k = static_cast<std::size_t>(rows.labels[t]);
    const std::span<const double> y(rows.block().row(t), subject.columns());
    sum += rows.block().weight(t) *
           (std::log(theta["weights"][k]) + known_of(subject).log_density(theta, k, y));
  }
  return sum;
}

}  // namespace

void labels(const Trial& trial) {
  const Subject& subject = trial.subject;
  const Labelled rows = draw_labelled(subject, 803, 123);
  const std::vector<double> unknown(rows.labels.size(), std::nan(""));
  Block nothing_known = rows.block();
  nothing_known.side.label = unknown.data();
  const Parameters start = subject.blurred(rows.block());
  Parameters complete = start;
  known_of(subject).maximise(subject, rows.block(), rows.posterior, complete);

  if (trial.who == Who::model) {
    Sums sums(subject.plan.statistic);
    EXPECT_TRUE(close(expect(*subject.model, start, rows.block(), sums),
                      complete_log_likelihood(subject, start, rows), 1e-10));
    Parameters theta = start;
    maximise(*subject.model, mean(sums), {.rows = sums.weight}, theta);
    EXPECT_TRUE(close(theta, complete, 1e-9));
    Explanation e;
    explain(*subject.model, start, rows.block(), e);
    EXPECT_EQ(e.posterior, rows.posterior);
    return;
  }
  for (Setting& setting : settings_of(trial, rows.block())) {
    const Outcome without = run(trial, rows.table.block(), setting);
    const Outcome with = run(trial, nothing_known, setting);
    if (setting.batch_size > 1) {
      EXPECT_TRUE(close(with.theta, without.theta, 0));
      EXPECT_TRUE(close(with.statistic, without.statistic, 0));
      EXPECT_EQ(with.log_likelihood, without.log_likelihood);
    } else {
      EXPECT_TRUE(close(with.theta, without.theta, 1e-8));
    }
    // One iteration, or the plain average of the statistic: with every label known no E-step is left.
    setting.iterations = 1;
    setting.step = Schedule::reciprocal();
    setting.average = {.kind = Averaging::Kind::off};
    for (const std::size_t cut : {0U, 10U, 64U}) {
      setting.cut = cut;
      const Outcome known_rows = run(trial, rows.block(), setting);
      for (const Piece& piece : subject.plan.parameters->pieces())
        for (std::size_t i = 0; i < piece.size() && !piece.constant; ++i)
          EXPECT_TRUE(close(known_rows.theta[piece.name][i], complete[piece.name][i], 1e-8))
              << piece.name << " " << i << ", blocks of " << cut;
      const bool of_all_rows =
          knows_all_rows(trial.who) || (trial.who == Who::fit && setting.method == Method::batch);
      if (of_all_rows) {
        EXPECT_TRUE(close(known_rows.log_likelihood,
                          complete_log_likelihood(subject, complete, rows), 1e-9));
      }
    }
  }
  if (trial.who != Who::batch) return;
  Labelled some = rows;  // two rows of three are unknown
  for (std::size_t t = 0; t < some.labels.size(); ++t)
    if (t % 3 != 0) some.labels[t] = std::nan("");
  expect_ascent(subject, some.block(), {});
}

}  // namespace laws
