// The E-step over many rows, in compute slices of fixed size whose sums are added in order: the same bits however the input is cut.
#pragma once

#include <thalweg/core/cutter.hpp>
#include <thalweg/core/model.hpp>
#include <thalweg/core/source.hpp>

#include <cstddef>
#include <cstdint>

namespace thalweg {

inline constexpr std::size_t compute_slice = 4096;

template <Model M>
class Expectation {
 public:
  Expectation(const M& model, const Parameters& theta, const Plan& plan)
      : model_(model), theta_(theta), part_(plan.statistic), sums_(plan.statistic) {}

  void add(const Block& block) {
    rows_ += block.rows;
    cutter_.feed(block, [this](const Block& slice) { add_slice(slice); });
  }
  void add(Source& source) {
    for (const Block& block : source) add(block);
  }
  void finish() {
    cutter_.flush([this](const Block& slice) { add_slice(slice); });
  }

  const Sums& sums() const { return sums_; }
  double log_likelihood() const { return log_likelihood_; }
  double weight() const { return sums_.weight; }
  std::uint64_t rows() const { return rows_; }

 private:
  void add_slice(const Block& slice) {
    part_.clear();
    log_likelihood_ += model_.expect(theta_, slice, part_);
    sums_.add(part_);
  }

  const M& model_;
  const Parameters& theta_;
  Cutter cutter_{compute_slice};
  Sums part_;
  Sums sums_;
  double log_likelihood_ = 0;
  std::uint64_t rows_ = 0;
};

/// The E-step over a block or a whole source.
template <Model M, class Rows>
Expectation<M> expect_all(const M& model, const Parameters& theta, const Plan& plan, Rows& rows) {
  Expectation<M> expectation(model, theta, plan);
  expectation.add(rows);
  expectation.finish();
  return expectation;
}

}  // namespace thalweg
