// A fit in closed form: the first rows give the gauge; no row is kept or read twice.
#pragma once

#include "estimators/exact.hpp"
#include <thalweg/core/source.hpp>
#include <thalweg/estimators/fit_options.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace thalweg {

class ExactFit {
 public:
  /// Refuses, before any row is read, a model whose maximum has no closed form, and a prior.
  ExactFit(const FitSetting& setting, const Source& source);

  void run(Source& source, FitResult& result);

  /// In the middle of `run`.
  Archive save() const;

  /// Before `run`, which goes on from there.
  void load(const Archive& archive, std::uint64_t rows);

 private:
  void launch();

  void learn(const Block& block, FitResult& result);

  void solve(FitResult& result);

  const FitSetting& setting_;
  const Exact& exact_;
  Schema schema_;
  Plan plan_;
  Table buffer_;
  std::optional<Moments> moments_;
  std::uint64_t known_ = 0;  // rows that were learned before the state was saved
  Archive position_;         // where a saved run was in the source
  const Source* source_ = nullptr;
};

}  // namespace thalweg
