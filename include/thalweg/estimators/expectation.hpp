// The E-step over many rows, in compute slices of fixed size whose sums are added in order: the same bits however the input is
// cut, and for any number of threads.
#pragma once

#include <thalweg/core/cutter.hpp>
#include <thalweg/core/model.hpp>
#include <thalweg/core/source.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace thalweg {

template <Model M>
class Expectation {
 public:
  Expectation(const M& model, const Parameters& theta, const Plan& plan, Crew crew = {})
      : model_(model),
        theta_(theta),
        crew_(std::move(crew)),
        cutter_(2 * crew_.size() * slice_rows),
        sums_(plan.statistic) {}

  void add(const Block& block) {
    rows_ += block.rows;
    // A large block is taken where it lies.
    const std::size_t whole =
        cutter_.waiting().rows() == 0 ? block.rows / slice_rows * slice_rows : 0;
    if (whole > 0) add_slices(block.slice(0, whole));
    cutter_.feed(block.slice(whole, block.rows - whole),
                 [this](const Block& slices) { add_slices(slices); });
  }
  void add(Source& source) {
    for (const Block& block : source) add(block);
  }
  void finish() {
    cutter_.flush([this](const Block& slices) { add_slices(slices); });
  }

  const Sums& sums() const { return sums_; }
  double log_likelihood() const { return log_likelihood_; }
  double weight() const { return sums_.weight; }
  std::uint64_t rows() const { return rows_; }

 private:
  void add_slices(const Block& slices) {
    expect_in_slices(model_, theta_, slices, &crew_, sums_, parts_, log_likelihood_);
  }

  const M& model_;
  const Parameters& theta_;
  Crew crew_;
  Cutter cutter_;
  std::vector<Sums> parts_;
  Sums sums_;
  double log_likelihood_ = 0;
  std::uint64_t rows_ = 0;
};

/// The E-step over a block or a whole source.
template <Model M, class Rows>
Expectation<M> expect_all(const M& model, const Parameters& theta, const Plan& plan, Rows& rows,
                          Crew crew = {}) {
  Expectation<M> expectation(model, theta, plan, std::move(crew));
  expectation.add(rows);
  expectation.finish();
  return expectation;
}

}  // namespace thalweg
