// Rows drawn from a model at known parameters.
#pragma once

#include <thalweg/core/model.hpp>
#include <thalweg/core/source.hpp>

#include <memory>
#include <vector>

namespace thalweg {

struct SimulatedOptions {
  std::uint64_t rows = 0;
  std::uint64_t seed = 0;
  std::size_t block_rows = 4096;
  std::uint64_t unit_rows =
      0;  // of every sequence or group, where the model has such; 0: all are one
};

/// The parameters are some of model->plan(schema). Row t is drawn from the stream (seed, t): the cut does not matter, nor do the
/// rows before it, but for those of its own unit.
class THALWEG_API SimulatedSource final : public Source {
 public:
  SimulatedSource(std::shared_ptr<const Model> model, Schema schema, Parameters theta,
                  SimulatedOptions options);

  const Schema& schema() const override { return schema_; }
  bool next(Block& block) override;
  bool rewind() override;
  std::optional<std::uint64_t> rows() const override { return options_.rows; }
  std::optional<double> share_read() const override;

 private:
  std::shared_ptr<const Model> model_;
  Schema schema_;
  Parameters theta_;
  SimulatedOptions options_;
  std::uint64_t read_ = 0;
  std::vector<double> values_;  // block_rows × columns
  Unit unit_;
  Carry carry_;
  std::vector<std::uint8_t> unit_starts_;
};

}  // namespace thalweg
