// Rows of a stream, mixed within a window: for data that come sorted and are too long to be shuffled whole.
#pragma once

#include <thalweg/core/forwarding.hpp>
#include <thalweg/data/table.hpp>

#include <cstdint>
#include <vector>

namespace thalweg {

struct ShuffleBufferOptions {
  std::size_t rows = 0;  // kept in memory; at least 1
  std::uint64_t seed = 0;
  std::size_t block_rows = 4096;
};

/// Every row that comes takes the place of one drawn from the buffer, which goes on; at the end the buffer is given in random
/// order. The order depends on (seed, pass) and the rows alone, not on how the source cuts.
class THALWEG_API ShuffleBuffer final : public Forwarding<> {
 public:
  ShuffleBuffer(Source& source, ShuffleBufferOptions options);

  bool next(Block& block) override;
  bool rewind() override;  // to another order
  std::string where(std::uint64_t row) const override;
  std::uint64_t number_in_source(std::uint64_t row) const;  // of a row of the current block

  std::uint64_t stretches(std::uint64_t /*bytes*/) const override { return 0; }

  /// The buffer would have to be kept too: the rows before have to be read again.
  bool save_position(Archive& /*archive*/) const override { return false; }

 private:
  bool refill();  // the buffer, or what comes next of the source
  void exchange(std::size_t slot);
  void give(std::size_t slot);

  ShuffleBufferOptions options_;
  std::uint32_t pass_ = 0;
  Block incoming_;
  std::size_t at_ = 0;  // in incoming_
  bool ended_ = false;
  std::uint64_t draws_ = 0;

  // The buffer: values, weight and label of every slot, and the number of the row.
  std::size_t filled_ = 0;
  std::vector<double> values_;
  std::vector<double> weights_;
  std::vector<double> labels_;
  std::vector<std::uint64_t> numbers_;

  std::uint64_t read_ = 0;  // rows before the current block
  Table out_;
  std::vector<std::uint64_t> out_numbers_;
};

}  // namespace thalweg
