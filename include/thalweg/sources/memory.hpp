// Rows that are already in memory.
#pragma once

#include <thalweg/core/source.hpp>
#include <thalweg/data/table.hpp>

#include <memory>

namespace thalweg {

/// The rows have as many columns as the schema.
class THALWEG_API MemorySource final : public Source {
 public:
  /// Owns the rows. `block_rows` cuts them, 0 gives all at once.
  MemorySource(Schema schema, Table rows, std::size_t block_rows = 0);

  /// Looks at rows that the caller keeps alive.
  MemorySource(Schema schema, const Block& rows, std::size_t block_rows = 0);

  const Schema& schema() const override { return schema_; }
  bool next(Block& block) override;
  bool rewind() override;
  std::optional<std::uint64_t> rows() const override { return whole_.rows; }
  std::optional<double> share_read() const override;
  std::uint64_t stretches(std::uint64_t bytes) const override;
  void go_to_stretch(const Stretch& stretch) override;

 private:
  Schema schema_;
  std::shared_ptr<const Table> kept_;  // shared, so that a copy of the source sees the same rows
  Block whole_;
  std::size_t block_rows_;
  std::size_t read_ = 0;
  std::optional<std::size_t> end_ = {};  // of a stretch
  std::size_t rows_in(std::uint64_t bytes) const;
};

}  // namespace thalweg
