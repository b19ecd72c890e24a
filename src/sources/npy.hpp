// NumPy arrays: one or several .npy files as one stream of rows, columns c0, c1, …
#pragma once

#include "npy_file.hpp"
#include "picked_table.hpp"

#include <memory>
#include <string>
#include <vector>

namespace thalweg {

/// Rows of 8-byte floats in C order are used where they lie in the file. NaN is missing; infinities are refused.
/// The length stays untold, as for text: a format must not change a fit.
class NpySource final : public PickedTable {
 public:
  NpySource(const std::vector<std::string>& files, const TableOptions& options);

  bool next(Block& block) override;
  bool rewind() override;
  std::optional<double> share_read() const override;
  std::string where(std::uint64_t row) const override;
  bool save_position(Archive& archive) const override;
  void load_position(const Archive& archive) override;
  std::uint64_t stretches(std::uint64_t bytes) const override;
  void go_to_stretch(const Stretch& stretch) override;

  bool has_header() const override { return false; }

 private:
  void open(std::size_t file);
  bool take(const double* row);
  void number_in_files(Block& block);
  std::string place(std::size_t file, std::uint64_t row) const;
  std::uint64_t rows_in(std::uint64_t bytes) const;
  const std::vector<std::uint64_t>& rows_of_files() const;

  std::vector<Input> inputs_;
  std::unique_ptr<NpyFile> file_;
  std::size_t at_file_ = 0;
  std::uint64_t at_row_ = 0;  // of that file: the next one
  bool stopped_ = false;

  bool as_they_lie_ = false;  // all columns in order, nothing beside them

  std::uint64_t read_ = 0;  // rows before the current block
  std::size_t block_file_ = 0;
  std::uint64_t block_row_ = 0;      // of the file: the first of the block
  std::size_t block_rows_ = 0;       // given
  std::vector<std::uint64_t> kept_;  // rows of the file, where some were left out

  std::optional<std::uint64_t> stretch_end_;  // row of the file; then rows are numbered by …
  std::vector<std::uint64_t> numbers_;        // … those of the files before them and their own
  mutable std::vector<std::uint64_t> rows_of_files_;
};

}  // namespace thalweg
