// Slow versions of the relatives of batch EM, written from their formulas.
#include "core/change.hpp"
#include "core/domain.hpp"
#include "known.hpp"
#include "laws.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace laws {
namespace {

double slow_log_likelihood(const Explanation& e, const Block& rows) {
  double sum = 0;
  for (std::size_t t = 0; t < rows.rows; ++t) sum += rows.weight(t) * e.log_density[t];
  return sum;
}

Parameters slow_em(const Subject& subject, const Parameters& theta, const Block& rows) {
  Parameters next = theta;
  known_of(subject).maximise(subject, rows, slow_explanation(subject, theta, rows).posterior, next);
  return next;
}

/// What every row or block keeps of its last visit, and the M-step of all that is kept: posteriors of components, where these are
/// not all that there is the statistics of blocks.
class Kept {
 public:
  explicit Kept(const Subject& subject) : subject_(subject) {}

  void replace(const Pieces& pieces, std::size_t b, const Parameters& theta) {
    const Block block = pieces[b];
    const std::size_t at = pieces.begin(b);
    visited_ = std::max(visited_, at + block.rows);
    if (makes_statistics(subject_)) {
      const std::size_t K = subject_.components();
      const Explanation e = slow_explanation(subject_, theta, block);
      posterior_.resize(visited_ * K);
      std::ranges::copy(e.posterior, posterior_.begin() + static_cast<std::ptrdiff_t>(at * K));
    } else {
      blocks_.resize(std::max(blocks_.size(), b + 1), Sums(subject_.plan.statistic));
      blocks_[b].clear();
      expect(*subject_.model, theta, block, blocks_[b]);
    }
  }
  std::size_t visited() const { return visited_; }
  void maximise(const Block& rows, Parameters& theta) const {
    if (makes_statistics(subject_))
      return known_of(subject_).maximise(subject_, rows.slice(0, visited_), posterior_, theta);
    Sums total(subject_.plan.statistic);
    for (const Sums& block : blocks_) total.add(block);
    thalweg::maximise(*subject_.model, mean(total), {.rows = total.weight}, theta);
  }

 private:
  const Subject& subject_;
  std::size_t visited_ = 0;
  std::vector<double> posterior_;
  std::vector<Sums> blocks_;
};

Statistic slow_statistic(const Subject& subject, const Parameters& theta, const Block& rows) {
  Sums sums(subject.plan.statistic);
  expect(*subject.model, theta, rows, sums);
  return mean(sums);
}

}  // namespace

/// Two EM steps, a leap, an EM step: theta_0 + 2 a r + a² v with a = |r| / |v|, at most 16, 64, … in successful cycles.
/// A leap to where the likelihood is lower is undone.
void textbook_squarem(const Trial& trial, const Block& rows, const Setting& setting) {
  const Subject& subject = trial.subject;
  const auto combine = [](const Parameters& a, double x, const Parameters& b, double y,
                          const Parameters& c, double z) {
    Parameters sum = a;
    for (std::size_t i = 0; i < sum.size(); ++i)
      sum.data()[i] = x * a.data()[i] + y * b.data()[i] + z * c.data()[i];
    return sum;
  };
  Parameters theta = *setting.start;
  double longest = 16;
  for (std::uint64_t cycle = 1; cycle <= 3; ++cycle) {
    const Parameters one = slow_em(subject, theta, rows);
    const Parameters two = slow_em(subject, one, rows);
    const double r = change(theta, one);
    const double v = change(theta, combine(theta, 2, one, -2, two, 1));
    const double a = std::min(longest, std::max(1.0, r / v));
    // theta + 2a (one - theta) + a² (two - 2 one + theta)
    const Parameters leap = combine(theta, (1 - a) * (1 - a), one, 2 * a * (1 - a), two, a * a);
    const double reached = slow_log_likelihood(slow_explanation(subject, one, rows), rows);
    ASSERT_TRUE(in_domain(leap));
    if (slow_log_likelihood(slow_explanation(subject, leap, rows), rows) >= reached) {
      theta = slow_em(subject, leap, rows);
      if (a == longest) longest *= 4;
    } else {
      theta = two;
      longest = std::max(1.0, a / 2);
    }
    BatchOptions options = batch_options(setting, trial.who);
    options.max_iterations = 3 * cycle;
    options.tolerance = 0;  // near its end it would cease to leap
    Batch fast(subject.model, subject.example.schema, options);
    fast.begin(*setting.start);
    fast.run(rows);
    // A leap multiplies the rounding of both versions by a².
    EXPECT_TRUE(close(fast.parameters(), theta, 1e-11 * std::max(10.0, a * a)))
        << "cycle " << cycle << ", a = " << a;
    theta = fast.parameters();  // differences must not add up
  }
}

/// What is kept of all rows is replaced block by block; every M-step is that of the rows visited so far.
void textbook_incremental(const Trial& trial, const Block& rows, Setting setting) {
  const Subject& subject = trial.subject;
  for (const std::size_t units : {1U, 7U, 100U}) {
    const std::size_t m = subject.rows_of(units);
    setting.batch_size = m;
    Parameters theta = *setting.start;
    Kept kept(subject);
    for (std::uint64_t pass = 1; pass <= 3; ++pass) {
      const Pieces blocks(rows, m, subject.plan.unit);
      for (std::size_t b = 0; b < blocks.size(); ++b) {
        kept.replace(blocks, b, theta);
        if (kept.visited() > setting.warmup) kept.maximise(rows, theta);
      }
      setting.iterations = pass;
      const Outcome fast = run(trial, rows, setting);
      EXPECT_TRUE(close(fast.theta, theta, 1e-8)) << m << " rows a block, pass " << pass;
      EXPECT_TRUE(close(fast.log_likelihood,
                        slow_log_likelihood(slow_explanation(subject, theta, rows), rows), 1e-9));
    }
  }
  // The first pass at one unit a block is the online recursion with rates 1/n.
  setting.batch_size = subject.rows_of(1);
  setting.iterations = 1;
  setting.step = Schedule::reciprocal();
  setting.average = {.kind = Averaging::Kind::off};
  const Trial online{subject, Who::recursion, trial.strength};
  EXPECT_TRUE(close(run(trial, rows, setting).theta, run(online, rows, setting).theta, 1e-8));
}

/// S += g (n/W (s_b(theta) - s_b(anchor)) + S(anchor) - S). The mini-batches are those that the library drew: its order of rows
/// follows from the seed by the shuffle of Fisher and Yates.
void textbook_variance_reduced(const Trial& trial, const Block& rows, Setting setting) {
  const Subject& subject = trial.subject;
  const auto shuffled = [](std::size_t count, Random random) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.index(i)]);
    return order;
  };
  for (const bool constant :
       {false, true}) {  // small mini-batches only with small steps: rounding would grow
    // A step that would leave the domain is shortened, which the formula does not know.
    const std::size_t m = subject.rows_of(constant ? 9 : 50);
    setting.batch_size = m;
    setting.seed = 5;
    if (constant) setting.step = Schedule::constant(0.05);
    const Unit unit = subject.plan.unit;
    const Table mixed = pick(rows, unit, shuffled(Units(rows, unit).size(), Random(5, 0, 3)));
    const Pieces batches(mixed.block(), m, unit);
    const std::size_t count = batches.size();
    Parameters theta = *setting.start;
    double g = constant ? 0.05 : 0.5;
    for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
      const Parameters anchor = theta;
      const Statistic at_anchor = slow_statistic(subject, anchor, rows);
      const double before = slow_log_likelihood(slow_explanation(subject, anchor, rows), rows);
      if (epoch > 0 && !constant) g *= 1.2;
      Statistic S = at_anchor;
      for (const std::size_t b : shuffled(count, Random(5, epoch, 4))) {
        const Block block = batches[b];
        const Statistic now = slow_statistic(subject, theta, block);
        const Statistic then = slow_statistic(subject, anchor, block);
        const double share =
            static_cast<double>(count) * block.total_weight() / rows.total_weight();
        for (std::size_t i = 0; i < S.size(); ++i)
          S.data()[i] +=
              g * (share * (now.data()[i] - then.data()[i]) + at_anchor.data()[i] - S.data()[i]);
        maximise(*subject.model, S, {.rows = rows.total_weight()}, theta);
      }
      ASSERT_GE(slow_log_likelihood(slow_explanation(subject, theta, rows), rows), before)
          << "the comparison needs epochs that gain";
      setting.iterations = epoch + 1;
      EXPECT_TRUE(close(run(trial, rows, setting).theta, theta, 1e-7)) << m << ", epoch " << epoch;
    }
  }
}

/// theta += gamma D theta-bar(eta)[mean of E[s | y] - eta], the derivative by central differences.
void textbook_gradient(const Trial& trial, const Block& rows, const Setting& setting) {
  const Subject& subject = trial.subject;
  Recursion fast(subject.model, subject.example.schema, recursion_options(setting, trial.who));
  fast.begin(*setting.start);
  Parameters theta = *setting.start;
  for (std::size_t at = 0, k = 1; at + setting.batch_size <= rows.rows; ++k) {
    const Block block = rows.slice(at, setting.batch_size);
    at += setting.batch_size;
    const double usual = static_cast<double>(setting.batch_size) *
                         rows.slice(0, at).total_weight() / static_cast<double>(at);
    const double gamma = std::pow(static_cast<double>(k), -0.6);
    double rate = 1 - std::pow(1 - gamma, block.total_weight() / usual);
    Statistic eta(subject.plan.statistic);
    capability<Tangent>(*subject.model)->moments(theta, eta);
    const Statistic S = slow_statistic(subject, theta, block);
    constexpr double h = 1e-4;
    Parameters ends[2] = {theta, theta};
    for (const int side : {0, 1}) {
      Statistic near = eta;
      blend(near, S, side == 0 ? -h : h);
      maximise(*subject.model, near, {.rows = 1, .floor = 0}, ends[side]);
    }
    const Parameters before = theta;
    do {  // a step that leaves the domain is halved
      for (std::size_t i = 0; i < theta.size() && at > setting.warmup; ++i)
        theta.data()[i] =
            before.data()[i] + rate * (ends[1].data()[i] - ends[0].data()[i]) / (2 * h);
      rate /= 2;
    } while (!in_domain(theta));
    fast.learn(block);
    ASSERT_TRUE(close(fast.parameters(), theta, 1e-5)) << "after " << at << " rows";
    theta = fast.parameters();  // differences must not add up
    if (fast.events()[Event::step_shrunk] > 0) return;
  }
}

}  // namespace laws
