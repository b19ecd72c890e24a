// Batch EM over kept rows or a source, by EM or SQUAREM.
#include <thalweg/estimators/batch.hpp>

namespace thalweg {

Batch::Batch(const ModelHandle& model, const Schema& schema, BatchOptions options)
    : Iterative(model->plan(schema), StopRule(options.tolerance, 5, true)),
      model_(model.shared()),
      schema_(schema),
      options_(std::move(options)),
      squarem_(plan_) {
  require_settled(options_.regularisation);
}

void Batch::begin(const Parameters& theta) {
  options_.regularisation = settled_at(*model_, std::move(options_.regularisation), theta);
  theta_ = theta;
  admitted_ = {};
  squarem_.restart();
}

bool Batch::iterate(const Block& rows) {
  admitted_.require(*model_, schema_, rows);
  return step(expect(rows));
}

bool Batch::iterate(Source& rows) {
  admit(schema_, rows);
  return step(expect(rows));
}

template <class Rows>
Expectation Batch::expect(Rows& rows) {
  const Work work{.events = &events_, .seed = options_.seed, .visit = iterations_};
  Expectation e = expect_all(*model_, theta_, plan_, rows, options_.pool, work);
  if (options_.reduce) e.reduce(options_.reduce);
  return e;
}

bool Batch::content(double before) {
  const double now = objective_ / statistic_.weight;
  if (by_change() && !leaps()) {
    rule_.tell(now, change_);  // which has no say here, but knows what is left
    return std::abs(now - before) < options_.tolerance;
  }
  return (!leaps() || probing_) && rule_.tell(now, change_);
}

bool Batch::step(const Expectation& e) {
  const bool kept = !squarem_.leapt() || squarem_.keep(objective_of(e), theta_);
  bool done = false;
  if (kept) {
    const double before = iterations_ > 0 ? objective_ / statistic_.weight : options_.bound;
    take(e);
    rule_.allow(tolerance());
    converged_ = content(before);
    done =
        by_change() ? converged_ && leaps() : converged_ || iterations_ >= options_.max_iterations;
  }
  if (!done) ++iterations_;
  if (kept && !done) {
    const Parameters before = theta_;
    maximise(*model_, statistic_, options_.regularisation.context(e.weight(), &events_), theta_);
    change_ = moved_from(before);
    if (leaps()) accelerate(before, e.weight());
  }
  rows_ += e.rows();
  tell({.number = iterations_,
        .rows = rows_,
        .batch_rows = e.rows(),
        .batch_weight = e.weight(),
        .rate = 1,
        .log_likelihood = log_likelihood_});
  if (!by_change()) return done;
  if (done) ++iterations_;  // E-steps are counted, this one was the last
  return converged_ || exhausted();
}

double Batch::left_to_gain() const {
  if (rule_.knows() || !leaps() || !(statistic_.weight > 0)) return rule_.remaining_gap();
  return squarem_.gap() / statistic_.weight;
}

void Batch::evaluate(const Block& rows) {
  admitted_.require(*model_, schema_, rows);
  squarem_.undo(theta_);
  take(expect(rows));
}

void Batch::evaluate(Source& rows) {
  admit(schema_, rows);
  squarem_.undo(theta_);
  take(expect(rows));
}

void Batch::run(const Block& rows) {
  for (bool done = exhausted(); !done;) done = iterate(rows);
}

Archive Batch::save() const {
  Archive archive = saved({log_likelihood_, objective_, change_}, {iterations_, rows_});
  if (leaps()) {
    squarem_.save(archive, "squarem");
    archive.put("probing", std::uint64_t{probing_});
  }
  return archive;
}

void Batch::load(const Archive& archive) {
  restore(archive, "batch EM", {&log_likelihood_, &objective_, &change_}, {&iterations_, &rows_});
  options_.regularisation = settled_at(*model_, std::move(options_.regularisation), theta_);
  if (leaps()) {
    squarem_.load(archive, "squarem");
    probing_ = archive.count("probing") == 1;
  }
}

void Batch::take(const Expectation& e) {
  log_likelihood_ = e.log_likelihood();
  statistic_ = mean(e.sums());
  objective_ = objective_of(e);
}

double Batch::objective_of(const Expectation& e) const {
  return e.log_likelihood() + log_prior(*model_, options_.regularisation, theta_);
}

void Batch::accelerate(const Parameters& before, double weight) {
  if (probing_ && rule_.hopeful()) return;
  if (probing_) squarem_.too_early();
  probing_ = squarem_.extrapolate(before, theta_, objective_, tolerance() * weight,
                                  iterations_ < options_.max_iterations);
  if (probing_) rule_.begin_anew();
}

}  // namespace thalweg
