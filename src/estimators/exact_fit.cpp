// A fit by a closed form, in one pass.
#include "estimators/exact_fit.hpp"

#include "core/slices.hpp"
#include <thalweg/core/border.hpp>

namespace thalweg {
namespace {

const Exact& exact_of(const Model& model) {
  if (const auto* exact = capability<Exact>(model)) return *exact;
  throw UsageError("the maximum of this model has no closed form (" + option("method", "exact") +
                   " needs one; auto finds it by EM)");
}

}  // namespace

ExactFit::ExactFit(const FitSetting& setting, const Source& source)
    : setting_(setting),
      exact_(exact_of(*setting.model)),
      schema_(source.schema()),
      plan_(setting.model->plan(schema_)),
      buffer_(schema_.width()) {
  exact_.observed(schema_);
  const Regularisation& regularisation = setting_.options.regularisation;
  if (regularisation.prior || regularisation.prior_strength > 0)
    throw UsageError("the closed form is the maximum of the likelihood, it knows no prior");
}

void ExactFit::run(Source& source, FitResult& result) {
  source_ = &source;
  if (!position_.empty()) source.load_position(position_);
  for (const Block& block : source) {
    const std::size_t again =
        known_ > block.number(0) ? std::min<std::size_t>(block.rows, known_ - block.number(0)) : 0;
    if (again == block.rows) continue;
    learn(block.slice(again, block.rows - again), result);
    if ((result.stopped = setting_.rest())) break;
  }
  if (!result.stopped) result.stopped = setting_.rest();
  require_rows(plan_, result.rows);
  if (!moments_) launch();
  solve(result);
}

Archive ExactFit::save() const {
  Archive archive;
  archive.put("launched", std::uint64_t{moments_ ? 1U : 0U});
  if (moments_) archive.put("moments/", moments_->save());
  archive.put("buffer", buffer_);
  Archive position;
  if (source_->save_position(position)) archive.put("position/", position);
  return archive;
}

void ExactFit::load(const Archive& archive, std::uint64_t rows) {
  archive.get("buffer", buffer_);
  if (archive.count("launched") == 1) {
    moments_.emplace(exact_, schema_, plan_.unit, Parameters(plan_.parameters),
                     setting_.options.pool);
    moments_->load(archive.nested("moments/"));
  }
  known_ = rows;
  position_ = archive.nested("position/");
}

void ExactFit::launch() {
  Parameters gauge = setting_.given.empty() ? Parameters(plan_.parameters) : setting_.given.front();
  calibrate(*setting_.model, buffer_.block(), gauge);
  moments_.emplace(exact_, schema_, plan_.unit, std::move(gauge), setting_.options.pool);
  moments_->add(buffer_.block());
}

void ExactFit::learn(const Block& block, FitResult& result) {
  admit(*setting_.model, schema_, block);
  result.rows += block.rows;
  result.weight += block.total_weight();
  for (Observer* observer : setting_.observers)
    observer->on({.phase = Phase::buffer, .rows = result.rows, .batch_rows = block.rows});
  const std::size_t taken =
      moments_ ? 0 : std::min<std::size_t>(block.rows, slice_rows - buffer_.rows());
  buffer_.append(block.slice(0, taken));
  if (!moments_ && buffer_.rows() == slice_rows) launch();
  if (moments_) moments_->add(block.slice(taken, block.rows - taken));
}

void ExactFit::solve(FitResult& result) {
  result.method = Method::exact;
  result.parameters = moments_->gauge();
  result.statistic = Statistic(plan_.statistic);
  const Context context = setting_.options.regularisation.context(result.weight, &result.events);
  result.log_likelihood = result.weight * exact_.solve(moments_->finish(), context,
                                                       result.parameters, result.statistic);
  result.regularisation = setting_.options.regularisation;
  result.passes = 1;
  result.converged = !result.stopped;
  result.why = "the maximum in closed form from the moments of all rows, as asked";
}

}  // namespace thalweg
