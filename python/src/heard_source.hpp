// A source whose rows may come from Python code: what that raises ends the rows, and is kept for the end of the run.
#pragma once

#include "interrupt.hpp"
#include <thalweg/core/forwarding.hpp>

#include <algorithm>
#include <cstddef>

namespace thalweg::python {

class HeardSource final : public Forwarding<> {
 public:
  /// Blocks are cut into pieces of at most `rows` rows, so that a run can be stopped between them; 0: they stay whole.
  HeardSource(Source& source, Interrupt& interrupt, std::size_t rows = 0)
      : Forwarding(source), interrupt_(interrupt), piece_(rows) {}

  /// Ctrl-C too ends the rows: for whoever does not ask by himself, and throws away what he has.
  void end_when_asked() { asks_ = true; }

  bool next(Block& block) override {
    if (taken_ == whole_.rows && !read()) return false;
    const std::size_t left = whole_.rows - taken_;
    const std::size_t count = piece_ == 0 ? left : std::min(left, piece_);
    block = whole_.slice(taken_, count);
    taken_ += count;
    return true;
  }

  /// In the middle of a block the source is further than the rows that were given.
  bool save_position(Archive& archive) const override {
    return taken_ == whole_.rows && Forwarding::save_position(archive);
  }

  void go_to_stretch(const Stretch& stretch) override {
    whole_ = {};
    taken_ = 0;
    Forwarding::go_to_stretch(stretch);
  }

  bool rewind() override {
    whole_ = {};
    taken_ = 0;
    try {
      return source().rewind();
    } catch (const pybind11::error_already_set& error) {
      interrupt_.hear(error);
      return true;  // no row will come
    }
  }

 private:
  void load_own(const Archive& /*archive*/) override {
    whole_ = {};
    taken_ = 0;
  }

  bool read() {
    taken_ = 0;
    if (interrupt_.heard() || (asks_ && interrupt_.asked())) return false;
    try {
      if (source().next(whole_)) return true;
    } catch (const pybind11::error_already_set& error) {
      interrupt_.hear(error);
    }
    whole_ = {};
    return false;
  }

  Interrupt& interrupt_;
  std::size_t piece_;
  bool asks_ = false;
  Block whole_;  // the block of the source under way
  std::size_t taken_ = 0;
};

}  // namespace thalweg::python
