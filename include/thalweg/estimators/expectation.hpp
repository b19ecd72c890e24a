// The E-step over many rows, in compute slices of fixed size whose sums are added in order: the same bits however the input is
// cut, and for any number of threads.
#pragma once

#include <thalweg/core/cutter.hpp>
#include <thalweg/core/model.hpp>
#include <thalweg/core/source.hpp>
#include <thalweg/data/slices.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace thalweg {

/// The seam between the sums of an E-step and the M-step: adds to both what the other engines found at the same parameters
/// (an all-reduce).
using Reduce = std::function<void(Sums& sums, double& log_likelihood)>;

/// Neither the model nor theta may change or go while it is under way, not for copies either.
class THALWEG_API Expectation {
 public:
  Expectation(const Model& model, const Parameters& theta, const Plan& plan, ThreadPool pool = {},
              const Work& work = {}, std::size_t slice = slice_rows);

  /// Repairs from now on are counted there.
  void count_in(Events& events) { work_.events = &events; }

  /// Rows that the model can take, see admit(); those of a source are looked at here.
  void add(const Block& block);
  void add(Source& source);
  void finish();

  /// The sums of these rows become those of all engines, and so does the log-likelihood; rows() stay those that were read here.
  void reduce(const Reduce& reduce) { reduce(sums_, log_likelihood_); }

  const Sums& sums() const { return sums_; }
  double log_likelihood() const { return log_likelihood_; }
  double weight() const { return sums_.weight; }
  std::uint64_t rows() const { return rows_; }

 private:
  void add_slices(const Block& slices);

  const Model* model_;
  std::shared_ptr<const Prepared> prepared_;
  ThreadPool pool_;
  Work work_;  // of every row
  std::size_t slice_;
  Cutter cutter_;
  std::vector<Sums> parts_;
  Sums sums_;
  double log_likelihood_ = 0;
  std::uint64_t rows_ = 0;
};

/// The E-step over a block or a whole source.
THALWEG_API Expectation expect_all(const Model& model, const Parameters& theta, const Plan& plan,
                                   const Block& rows, ThreadPool pool = {}, const Work& work = {});
THALWEG_API Expectation expect_all(const Model& model, const Parameters& theta, const Plan& plan,
                                   Source& rows, ThreadPool pool = {}, const Work& work = {});

}  // namespace thalweg
