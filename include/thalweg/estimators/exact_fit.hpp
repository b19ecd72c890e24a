// A fit in closed form: the first rows give the gauge; no row is kept or read twice.
#pragma once

#include <thalweg/core/source.hpp>
#include <thalweg/estimators/exact.hpp>
#include <thalweg/estimators/fit_options.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace thalweg {

template <ExactModel M>
class ExactFit {
 public:
  ExactFit(const FitSetting<M>& setting, const Source& source)
      : setting_(setting),
        schema_(source.schema()),
        plan_(setting.model->plan(schema_)),
        buffer_(schema_.width()) {
    setting_.model->observed(schema_);  // refuses before any row is read
    const Terms& terms = setting_.options.terms;
    if (terms.prior || terms.prior_strength > 0)
      throw UsageError("the closed form is the maximum of the likelihood, it knows no prior");
  }

  void run(Source& source, FitResult& result) {
    source_ = &source;
    if (!position_.empty()) source.load_position(position_);
    for (const Block& block : source) {
      const std::size_t again =
          known_ > block.first ? std::min<std::size_t>(block.rows, known_ - block.first) : 0;
      if (again == block.rows) continue;
      learn(block.slice(again, block.rows - again), result);
      if ((result.stopped = setting_.rest())) break;
    }
    if (!result.stopped) result.stopped = setting_.rest();
    require_rows(plan_, result.rows);
    if (!moments_) launch();
    solve(result);
  }

  /// In the middle of `run`.
  Archive save() const {
    Archive archive;
    archive.put("launched", std::uint64_t{moments_ ? 1U : 0U});
    if (moments_) archive.put("moments/", moments_->save());
    archive.put("buffer", buffer_);
    Archive position;
    if (source_->save_position(position)) archive.put("position/", position);
    return archive;
  }

  /// Before `run`, which goes on from there.
  void load(const Archive& archive, std::uint64_t rows) {
    archive.get("buffer", buffer_);
    if (archive.count("launched") == 1) {
      moments_.emplace(*setting_.model, schema_, Parameters(plan_.parameters),
                       setting_.options.terms.crew);
      moments_->load(archive.nested("moments/"));
    }
    known_ = rows;
    position_ = archive.nested("position/");
  }

 private:
  void launch() {
    Parameters gauge = setting_.given ? *setting_.given : Parameters(plan_.parameters);
    calibrate(*setting_.model, buffer_.block(), gauge);
    moments_.emplace(*setting_.model, schema_, std::move(gauge), setting_.options.terms.crew);
    moments_->add(buffer_.block());
  }

  void learn(const Block& block, FitResult& result) {
    check(*setting_.model, schema_, block);
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

  void solve(FitResult& result) {
    result.method = Method::exact;
    result.parameters = moments_->gauge();
    result.statistic = Statistic(plan_.statistic);
    const Context context = setting_.options.terms.context(result.weight, &result.events);
    result.log_likelihood =
        result.weight *
        setting_.model->solve(moments_->finish(), context, result.parameters, result.statistic);
    result.passes = 1;
    result.converged = !result.stopped;
    result.why = "the maximum in closed form from the moments of all rows, as asked";
  }

  const FitSetting<M>& setting_;
  Schema schema_;
  Plan plan_;
  Table buffer_;
  std::optional<Moments<M>> moments_;
  std::uint64_t known_ = 0;  // rows that were learned before the state was saved
  Archive position_;         // where a saved run was in the source
  const Source* source_ = nullptr;
};

}  // namespace thalweg
