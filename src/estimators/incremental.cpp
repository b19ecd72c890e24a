// Incremental EM: the statistic of every mini-batch is kept and replaced (Neal & Hinton 1998).
#include "core/slices.hpp"
#include <thalweg/estimators/incremental.hpp>

namespace thalweg {

Incremental::Incremental(const ModelHandle& model, const Schema& schema, IncrementalOptions options)
    : Iterative(model->plan(schema), StopRule(options.tolerance)),
      model_(model.shared()),
      components_(capability<Components>(*model_)),
      schema_(schema),
      options_(std::move(options)),
      pass_began_at_(plan_.parameters),
      total_(plan_.statistic),
      fresh_(plan_.statistic),
      now_(plan_.statistic),
      before_(plan_.statistic) {
  if (options_.batch_size && *options_.batch_size == 0)
    throw UsageError("a block needs at least one row");
  require_settled(options_.regularisation);
}

void Incremental::begin(const Parameters& theta) {
  options_.regularisation = settled_at(*model_, std::move(options_.regularisation), theta);
  theta_ = theta;
  pass_began_at_ = theta_;
}

bool Incremental::visit(const Block& rows) {
  look_at(rows);
  if (rows_ == 0) make_room(rows);
  if (rows.rows != rows_ || next_ >= blocks_->size() ||
      kept_.size() != room(rows_, blocks_->size()))
    refuse_other_rows();
  const std::size_t first = blocks_->begin(next_);
  const Block block = (*blocks_)[next_];
  recall(block, first);
  const double log_likelihood = expect(block, first);
  for (std::size_t i = 0; i < now_.size(); ++i) {
    total_.data()[i] += now_.data()[i] - before_.data()[i];
    fresh_.data()[i] += now_.data()[i];
  }
  if (passes_ == 0) weight_ += block.total_weight();
  scored_ += log_likelihood;
  maximise_total(first + block.rows);
  ++next_;
  if (first + block.rows < rows.rows) return false;
  end_pass(rows);
  return true;
}

bool Incremental::iterate(const Block& rows) {
  while (passes_ < options_.max_iterations && !visit(rows)) {
  }
  const bool done = converged_ || passes_ >= options_.max_iterations;
  if (done) evaluate(rows);
  return done;
}

void Incremental::look_at(const Block& rows) {
  if (admitted_.require(*model_, schema_, rows))
    blocks_.emplace(rows, block_size(rows.rows), plan_.unit);
}

void Incremental::evaluate(const Block& rows) {
  look_at(rows);
  const Expectation e = expect_all(*model_, theta_, plan_, rows, options_.pool);
  log_likelihood_ = e.log_likelihood();
  statistic_ = mean(e.sums());
  objective_ = log_likelihood_ + log_prior(*model_, options_.regularisation, theta_);
  ++evaluations_;
}

void Incremental::run(const Block& rows) {
  while (!iterate(rows)) {
  }
}

std::size_t Incremental::block_size(std::size_t rows) const {
  return options_.batch_size.value_or(incremental_block(plan_.free_parameters, rows));
}

Archive Incremental::save() const {
  Archive archive = saved({weight_, scored_, log_likelihood_, objective_},
                          {passes_, next_, rows_, classes_, evaluations_});
  archive.put("pass_began_at", pass_began_at_);
  archive.put("total", values(total_));
  archive.put("fresh", values(fresh_));
  archive.put("kept", kept_);
  archive.put("block/rows", std::uint64_t{rows_ > 0 ? block_size(rows_) : 0});
  return archive;
}

void Incremental::load(const Archive& archive) {
  restore(archive, "incremental EM", {&weight_, &scored_, &log_likelihood_, &objective_},
          {&passes_, &next_, &rows_, &classes_, &evaluations_});
  options_.regularisation = settled_at(*model_, std::move(options_.regularisation), theta_);
  archive.get("pass_began_at", pass_began_at_);
  get(archive, "total", total_);
  get(archive, "fresh", fresh_);
  kept_ = archive.numbers("kept");
  const Archive block = archive.nested("block/");  // older states do not tell
  const std::uint64_t size = rows_ > 0 ? block_size(rows_) : 0;
  const bool by_rows =
      plan_.unit == Unit::row;  // else the rows have to tell how many blocks there are
  const std::size_t blocks = rows_ > 0 ? (rows_ + size - 1) / size : 0;
  if ((by_rows && kept_.size() != room(rows_, blocks)) ||
      (by_rows && rows_ > kept_.size() * block_size(rows_)) || classes_ > kept_.size() ||
      (!block.empty() && block.count("rows") != size))
    throw Error("saved incremental EM is damaged, or had blocks of another size");
}

void Incremental::refuse_other_rows() {
  throw Error("saved incremental EM is damaged, or belongs to other rows");
}

std::size_t Incremental::room(std::size_t rows, std::size_t blocks) const {
  return classes_ > 0 ? rows * classes_ : blocks * total_.size();
}

void Incremental::make_room(const Block& rows) {
  rows_ = rows.rows;
  if (components_) {
    const std::size_t statistics = room(rows.rows, blocks_->size());
    if (rows.rows * components_->components() < statistics) classes_ = components_->components();
  }
  kept_.assign(room(rows.rows, blocks_->size()), 0.0);
}

void Incremental::recall(const Block& block, std::size_t first) {
  before_.clear();
  if (passes_ == 0) return;
  if (classes_ > 0)
    components_->gather(theta_, block, kept_.data() + first * classes_, before_);
  else
    std::copy_n(kept_.data() + next_ * before_.size(), before_.size(), before_.data());
}

double Incremental::expect(const Block& block, std::size_t first) {
  now_.clear();
  double log_likelihood = 0;
  if (classes_ > 0) {
    explain(*model_, theta_, block, seen_);
    for (std::size_t t = 0; t < block.rows; ++t)
      log_likelihood += block.weight(t) * seen_.log_density[t];
    components_->gather(theta_, block, seen_.posterior.data(), now_);
  } else {
    expect_in_slices(*model_->prepare(theta_), block, &options_.pool, now_, parts_, log_likelihood,
                     plan_.unit, {.events = &events_, .seed = options_.seed, .visit = passes_});
  }
  if (!std::isfinite(log_likelihood) || !now_.finite()) {
    events_.count(Event::batch_left_out);
    now_ = before_;
    return 0;
  }
  if (classes_ > 0)
    std::copy_n(seen_.posterior.data(), block.rows * classes_, kept_.data() + first * classes_);
  else
    std::copy_n(now_.data(), now_.size(), kept_.data() + next_ * now_.size());
  return log_likelihood;
}

void Incremental::maximise_total(std::uint64_t visited) {
  if (!(weight_ > 0)) return;
  for (std::size_t i = 0; i < total_.size(); ++i) statistic_.data()[i] = total_.data()[i] / weight_;
  statistic_.weight = weight_;
  if (passes_ > 0 || visited > options_.warmup.value_or(rows_) || visited == rows_)
    maximise(*model_, statistic_, options_.regularisation.context(weight_, &events_), theta_);
}

void Incremental::end_pass(const Block& rows) {
  std::copy_n(fresh_.data(), fresh_.size(), total_.data());
  fresh_.clear();
  next_ = 0;
  ++passes_;
  converged_ = rule_.tell(scored_ / weight_, moved_from(pass_began_at_));
  pass_began_at_ = theta_;
  tell({.number = passes_,
        .rows = passes_ * rows.rows,
        .batch_rows = rows.rows,
        .batch_weight = weight_,
        .rate = 1,
        .log_likelihood = scored_});
  scored_ = 0;
}

std::vector<double> Incremental::values(const Sums& sums) {
  return {sums.values().begin(), sums.values().end()};
}

void Incremental::get(const Archive& archive, const std::string& name, Sums& sums) {
  const auto& numbers = archive.numbers(name);
  if (numbers.size() != sums.size()) throw Error("saved incremental EM is damaged");
  std::copy(numbers.begin(), numbers.end(), sums.data());
}

}  // namespace thalweg
