// Variance-reduced EM: whole passes at anchors, corrected mini-batches between them.
#include "core/slices.hpp"
#include <thalweg/core/capabilities.hpp>
#include <thalweg/estimators/variance_reduced.hpp>

namespace thalweg {

VarianceReduced::VarianceReduced(const ModelHandle& model, const Schema& schema,
                                 VarianceReducedOptions options)
    : Iterative(model->plan(schema), StopRule(options.tolerance, 2)),
      model_(model.shared()),
      schema_(schema),
      options_(std::move(options)),
      anchor_(plan_.parameters),
      moving_(plan_.statistic),
      now_(plan_.statistic),
      rate_(options_.rate.value_or(first_rate)) {
  if (options_.batch_size && *options_.batch_size == 0)
    throw UsageError("a mini-batch needs at least one row");
  if (!(rate_ > 0 && rate_ <= 1))
    throw UsageError("the rate of variance-reduced EM is not in (0, 1]");
  require_settled(options_.regularisation);
}

void VarianceReduced::begin(const Parameters& theta) {
  options_.regularisation = settled_at(*model_, std::move(options_.regularisation), theta);
  theta_ = theta;
}

bool VarianceReduced::iterate(const Block& rows) {
  const bool risen = sweep(rows);
  if (!risen) rate_ /= 2;
  const bool done = converged_ || epochs_ >= options_.max_iterations;
  if (done) {
    theta_ = anchor_;
  } else {
    pass();
    ++epochs_;
  }
  tell({.number = epochs_,
        .rows = passes_ * rows.rows,
        .batch_rows = rows.rows,
        .batch_weight = weight_,
        .rate = rate_,
        .log_likelihood = log_likelihood_});
  return done;
}

void VarianceReduced::evaluate(const Block& rows) {
  sweep(rows);
  theta_ = anchor_;
}

void VarianceReduced::run(const Block& rows) {
  while (!iterate(rows)) {
  }
}

std::size_t VarianceReduced::batch_size(std::size_t rows) const {
  const std::size_t m = std::max((rows + 99) / 100, plan_.free_parameters);
  return options_.batch_size.value_or(std::max<std::size_t>(std::min(m, rows), 1));
}

Archive VarianceReduced::save() const {
  Archive archive = saved({log_likelihood_, objective_, weight_, rate_}, {epochs_, passes_});
  archive.put("anchor", anchor_);
  archive.put("kept", kept_);
  return archive;
}

void VarianceReduced::load(const Archive& archive) {
  if (archive.numbers("kept").size() % now_.size() != 0)
    throw Error("saved variance-reduced EM is damaged");
  restore(archive, "variance-reduced EM", {&log_likelihood_, &objective_, &weight_, &rate_},
          {&epochs_, &passes_});
  options_.regularisation = settled_at(*model_, std::move(options_.regularisation), theta_);
  archive.get("anchor", anchor_);
  kept_ = archive.numbers("kept");
}

void VarianceReduced::shuffle(const Block& rows) {
  if (mixed_.rows() == rows.rows) return;
  mixed_ = Table(rows.columns);
  const Units units(rows, plan_.unit);
  for (const std::size_t u : shuffled(units.size(), Random(options_.seed, 0, 3))) {
    Block unit = units[u];
    std::vector<std::uint8_t> marks;
    if (unit.side.unit_start && plan_.unit != Unit::row) {  // the first of all may have no mark
      marks.assign(unit.rows, 0);
      marks.front() = 1;
      unit.side.unit_start = marks.data();
    }
    mixed_.append(unit);
  }
}

std::vector<std::size_t> VarianceReduced::shuffled(std::size_t count, Random random) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.index(i)]);
  return order;
}

bool VarianceReduced::sweep(const Block& rows) {
  admitted_.require(*model_, schema_, rows);
  shuffle(rows);
  const std::size_t size = now_.size();
  const Pieces batches = drawn();
  const std::size_t count = batches.size();
  if (!kept_.empty() && kept_.size() != count * size)
    throw Error("saved variance-reduced EM is damaged, or belongs to other rows");
  std::vector<double> fresh(count * size);
  std::vector<double> scores(count);
  std::vector<double> weights(count);
  std::vector<Events> events(count);
  const std::unique_ptr<const Prepared> prepared = model_->prepare(theta_);
  options_.pool.run(count, [&](std::size_t b) {
    Sums sums(plan_.statistic);
    std::vector<Sums> parts;
    expect_in_slices(*prepared, batches[b], nullptr, sums, parts, scores[b], plan_.unit,
                     {.events = &events[b], .seed = options_.seed, .visit = passes_});
    std::copy_n(sums.data(), size, fresh.data() + b * size);
    weights[b] = sums.weight;
  });
  for (const Events& found : events) events_.add(found);
  ++passes_;
  const double log_likelihood = std::accumulate(scores.begin(), scores.end(), 0.0);
  const double objective = log_likelihood + log_prior(*model_, options_.regularisation, theta_);
  const bool first = kept_.empty();
  const double weight = std::accumulate(weights.begin(), weights.end(), 0.0);
  const bool risen = first || objective >= objective_ - rounding(objective_);
  // A small loss is told too, but no larger one: an epoch that failed says nothing about the maximum.
  if (risen || objective_ - objective < options_.tolerance * weight)
    converged_ = rule_.tell((first ? objective : std::max(objective, objective_)) / weight,
                            first ? 0.0 : moved_from(anchor_));
  if (!risen) return false;
  if (!first && !options_.rate) rate_ = std::min(1.0, growth * rate_);
  kept_ = std::move(fresh);
  weight_ = weight;
  log_likelihood_ = log_likelihood;
  objective_ = objective;
  anchor_ = theta_;
  std::fill_n(statistic_.data(), size, 0.0);
  for (std::size_t i = 0; i < kept_.size(); ++i) statistic_.data()[i % size] += kept_[i] / weight_;
  statistic_.weight = weight_;
  return true;
}

void VarianceReduced::pass() {
  const Context context = options_.regularisation.context(weight_, &events_);
  const Pieces batches = drawn();
  const std::size_t count = batches.size();
  const double scale = static_cast<double>(count) / weight_;
  theta_ = anchor_;
  moving_ = statistic_;
  for (const std::size_t b : shuffled(count, Random(options_.seed, epochs_, 4))) {
    now_.clear();
    double score = 0;
    expect_in_slices(*model_->prepare(theta_), batches[b], &options_.pool, now_, parts_, score,
                     plan_.unit, {.events = &events_, .seed = options_.seed, .visit = passes_});
    const double* kept = kept_.data() + b * now_.size();
    for (std::size_t i = 0; i < now_.size(); ++i)
      now_.data()[i] = scale * (now_.data()[i] - kept[i]) + statistic_.data()[i];
    if (!now_.finite()) {
      events_.count(Event::batch_left_out);
      continue;
    }
    if (move()) maximise(*model_, moving_, context, theta_);
  }
  ++passes_;
}

bool VarianceReduced::move() {
  constexpr int most_halvings = 20;
  double g = rate_;
  for (int halvings = 0; halvings <= most_halvings; ++halvings, g /= 2) {
    Statistic next = moving_;
    for (std::size_t i = 0; i < next.size(); ++i)
      next.data()[i] += g * (now_.data()[i] - next.data()[i]);
    if (halvings == 1) events_.count(Event::step_shrunk);
    if (!valid(*model_, theta_, next)) continue;
    moving_ = std::move(next);
    return true;
  }
  return false;
}

}  // namespace thalweg
