// A whole E-step over any source, slices shared by threads and added in the order of the rows.
#include "core/slices.hpp"
#include <thalweg/core/border.hpp>
#include <thalweg/estimators/expectation.hpp>

#include <utility>

namespace thalweg {

Expectation::Expectation(const Model& model, const Parameters& theta, const Plan& plan,
                         ThreadPool pool, const Work& work, std::size_t slice)
    : model_(&model),
      prepared_(model.prepare(theta)),
      pool_(std::move(pool)),
      work_{.events = work.events, .seed = work.seed, .visit = work.visit},
      slice_(slice),
      cutter_(slice, plan.unit, 2 * pool_.size()),
      sums_(plan.statistic) {}

void Expectation::add(const Block& block) {
  rows_ += block.rows;
  // A large block is taken where it lies.
  const std::size_t whole =
      cutter_.waiting().empty() ? rows_in_pieces(block, slice_, cutter_.unit()) : 0;
  if (whole > 0) add_slices(block.slice(0, whole));
  cutter_.feed(block.slice(whole, block.rows - whole),
               [this](const Block& slices) { add_slices(slices); });
}

void Expectation::add(Source& source) {
  Admission border(cutter_.unit());
  for (const Block& block : source) {
    border.admit(*model_, source.schema(), block);
    add(block);
  }
}

void Expectation::finish() {
  cutter_.flush([this](const Block& slices) { add_slices(slices); });
}

void Expectation::add_slices(const Block& slices) {
  expect_in_slices(*prepared_, slices, &pool_, sums_, parts_, log_likelihood_, cutter_.unit(),
                   work_, slice_);
}

namespace {

template <class Rows>
Expectation all(const Model& model, const Parameters& theta, const Plan& plan, Rows& rows,
                ThreadPool pool, const Work& work) {
  Expectation expectation(model, theta, plan, std::move(pool), work);
  expectation.add(rows);
  expectation.finish();
  return expectation;
}

}  // namespace

Expectation expect_all(const Model& model, const Parameters& theta, const Plan& plan,
                       const Block& rows, ThreadPool pool, const Work& work) {
  return all(model, theta, plan, rows, std::move(pool), work);
}

Expectation expect_all(const Model& model, const Parameters& theta, const Plan& plan, Source& rows,
                       ThreadPool pool, const Work& work) {
  return all(model, theta, plan, rows, std::move(pool), work);
}

}  // namespace thalweg
