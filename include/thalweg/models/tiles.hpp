// The loop over tiles of rows that every latent structure has around the two products of its family's form.
#pragma once

#include <thalweg/data/block.hpp>
#include <thalweg/kernels/tile.hpp>
#include <thalweg/kernels/workspace.hpp>

#include <algorithm>
#include <cstddef>

namespace thalweg {

/// use(begin, rows, workspace, scores) for every tile of the block: the form has read its rows into the workspace, scores are
/// `width` × tile_stride numbers of arbitrary contents.
template <class Form, class Use>
void over_tiles(const Form& form, const Block& block, std::size_t width, const Use& use) {
  using namespace kernels;
  const Workspace space(form.workspace() + width * tile_stride);
  double* const workspace = space.data();
  double* const scores = workspace + form.workspace();
  for (std::size_t begin = 0; begin < block.rows; begin += tile_rows) {
    const std::size_t rows = std::min(tile_rows, block.rows - begin);
    form.read(block, begin, rows, workspace);
    use(begin, rows, workspace, scores);
  }
}

/// What a form adds to the sums, some of it only at the end, when all tiles are through.
template <class Form>
class Accumulation {
 public:
  Accumulation(const Form& form, double* sums) : form_(form), memory_(form.memory()), sums_(sums) {
    std::fill_n(memory_.data(), form.memory(), 0.0);
  }
  void add(double* workspace, const double* posterior, std::size_t rows) {
    form_.accumulate(workspace, posterior, rows, memory_.data(), sums_);
  }
  void finish() { form_.finish(memory_.data(), sums_); }

 private:
  const Form& form_;
  kernels::Workspace memory_;
  double* sums_;
};

/// The D × K sums gain sum_t w_t r_kt s(y_t), by posteriors that are known (rows × K).
template <class Form>
void accumulate_rows(const Form& form, const Block& block, std::size_t K, const double* posterior,
                     double* sums) {
  using namespace kernels;
  Accumulation<Form> accumulation(form, sums);
  over_tiles(
      form, block, K, [&](std::size_t begin, std::size_t rows, double* workspace, double* r) {
        std::fill_n(r, K * tile_stride, 0.0);
        for (std::size_t t = 0; t < rows; ++t)
          for (std::size_t k = 0; k < K; ++k)
            r[k * tile_stride + t] = block.weight(begin + t) * posterior[(begin + t) * K + k];
        accumulation.add(workspace, r, rows);
      });
  accumulation.finish();
}

}  // namespace thalweg
