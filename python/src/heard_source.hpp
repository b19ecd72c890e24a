// A source whose rows may come from Python code: what that raises ends the rows, and is kept for the end of the run.
#pragma once

#include "interrupt.hpp"
#include <thalweg/core/source.hpp>

#include <algorithm>
#include <cstddef>

namespace thalweg::python {

class HeardSource final : public Source {
 public:
  /// Blocks are cut into pieces of at most `rows` rows, so that a run can be stopped between them; 0: they stay whole.
  HeardSource(Source& source, Interrupt& interrupt, std::size_t rows = 0)
      : source_(source), interrupt_(interrupt), piece_(rows) {}

  /// Ctrl-C too ends the rows: for whoever does not ask by himself, and throws away what he has.
  void end_when_asked() { asks_ = true; }

  const Schema& schema() const override { return source_.schema(); }
  std::optional<std::uint64_t> rows() const override { return source_.rows(); }
  std::optional<double> share_read() const override { return source_.share_read(); }
  std::string where(std::uint64_t row) const override { return source_.where(row); }

  bool next(Block& block) override {
    if (taken_ == whole_.rows && !read()) return false;
    const std::size_t left = whole_.rows - taken_;
    const std::size_t count = piece_ == 0 ? left : std::min(left, piece_);
    block = whole_.slice(taken_, count);
    taken_ += count;
    return true;
  }

  bool rewind() override {
    whole_ = {};
    taken_ = 0;
    try {
      return source_.rewind();
    } catch (const pybind11::error_already_set& error) {
      interrupt_.hear(error);
      return true;  // no row will come
    }
  }

 private:
  bool read() {
    taken_ = 0;
    if (interrupt_.heard() || (asks_ && interrupt_.asked())) return false;
    try {
      if (source_.next(whole_)) return true;
    } catch (const pybind11::error_already_set& error) {
      interrupt_.hear(error);
    }
    whole_ = {};
    return false;
  }

  Source& source_;
  Interrupt& interrupt_;
  std::size_t piece_;
  bool asks_ = false;
  Block whole_;  // the block of the source under way
  std::size_t taken_ = 0;
};

}  // namespace thalweg::python
