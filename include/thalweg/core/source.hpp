// Where rows come from: blocks of any size, one after the other.
#pragma once

#include <thalweg/core/archive.hpp>
#include <thalweg/data/block.hpp>
#include <thalweg/data/schema.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>

namespace thalweg {

/// A part of an input that can be read from any place.
struct Stretch {
  std::uint64_t number = 0;
  std::uint64_t bytes = 0;  // as they were asked for
  bool look = false;        // for a first impression: it may be cut a little beside the rows
};

class THALWEG_API Source {
 public:
  virtual ~Source();
  virtual const Schema& schema() const = 0;

  /// The next block, valid until the next call; false at the end. Rows that are not numbered count from the first one that was read; a
  /// source that can go on in the middle (load_position) numbers them itself.
  virtual bool next(Block& block) = 0;

  /// Back to the first row; false where that is impossible (a pipe).
  virtual bool rewind() = 0;

  /// The number of rows where it is known, and the share of the input that was read where that is known.
  virtual std::optional<std::uint64_t> rows() const { return std::nullopt; }
  virtual std::optional<double> share_read() const { return std::nullopt; }

  /// Where the next block begins, for sources that can go straight there; false: the rows before it have to be read again.
  virtual bool save_position(Archive& archive) const;
  virtual void load_position(const Archive& archive);  // only what save_position gave

  /// The rows before that place will come again from the first on, and have to be the same: for sources that can tell.
  virtual void expect_again(const Archive& archive);

  /// An input that can be read from any place: into how many stretches of about so many bytes it falls. 0: it comes from front to back.
  virtual std::uint64_t stretches(std::uint64_t bytes) const;

  /// The rows of one of them come next, and then the end; `rewind` leaves it. Together they hold every row once. Rows are numbered as
  /// `where` understands them, however far apart. For a look, a stretch need not begin exactly where a row does.
  virtual void go_to_stretch(const Stretch& stretch);

  /// "data.csv:17" for an absolute row number of the current block.
  virtual std::string where(std::uint64_t row) const;

  /// `for (const Block& block : source)`.
  class Iterator {
   public:
    Iterator() = default;
    explicit Iterator(Source* source) : source_(source) { ++*this; }
    const Block& operator*() const { return block_; }
    Iterator& operator++() {
      if (source_ && !source_->next(block_)) source_ = nullptr;
      if (!block_.has_numbers()) block_.number_from(seen_);
      seen_ += block_.rows;
      return *this;
    }
    bool operator==(std::default_sentinel_t) const { return source_ == nullptr; }

   private:
    Source* source_ = nullptr;
    Block block_;
    std::uint64_t seen_ = 0;
  };
  Iterator begin() { return Iterator(this); }
  static std::default_sentinel_t end() { return {}; }
};

}  // namespace thalweg
