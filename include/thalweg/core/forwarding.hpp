// What every wrapper of a source is built on: forwards all that a source can do, so that a wrapper says only what it changes.
#pragma once

#include <thalweg/core/source.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace thalweg {

/// `Base` is Source, or a kind of source that promises more, which the wrapper then answers for.
///
/// A saved position is that of the wrapped source, under `prefix`, and beside it what the wrapper itself keeps (`save_own`,
/// `load_own`). So the wrapped source always finds its part again, whether it goes straight there or compares rows that
/// come again. A wrapper that cannot tell where it is refuses in `save_position`; one that changes how many rows there are,
/// or which row is which, says so in `rows` and `where`.
template <std::derived_from<Source> Base = Source>
class THALWEG_API Forwarding : public Base {
 public:
  const Schema& schema() const override { return source_->schema(); }
  bool next(Block& block) override { return source_->next(block); }
  bool rewind() override { return source_->rewind(); }
  std::optional<std::uint64_t> rows() const override { return source_->rows(); }
  std::optional<double> share_read() const override { return source_->share_read(); }
  std::string where(std::uint64_t row) const override { return source_->where(row); }

  std::uint64_t stretches(std::uint64_t bytes) const override { return source_->stretches(bytes); }
  void go_to_stretch(const Stretch& stretch) override { source_->go_to_stretch(stretch); }

  bool save_position(Archive& archive) const override {
    Archive inner;
    if (!source_->save_position(inner)) return false;
    archive.put(prefix_, inner);
    save_own(archive);
    return true;
  }
  void load_position(const Archive& archive) override {
    source_->load_position(archive.nested(prefix_));
    load_own(archive);
  }
  void expect_again(const Archive& archive) override {
    source_->expect_again(archive.nested(prefix_));
  }

 protected:
  /// The source has to outlive the wrapper. An empty prefix puts both parts side by side: their names must differ.
  explicit Forwarding(Source& source, std::string prefix = {})
      : source_(&source), prefix_(std::move(prefix)) {}

  Source& source() { return *source_; }
  const Source& source() const { return *source_; }
  void read_from(Source& source) { source_ = &source; }  // before the first row

  /// For a row that is not of the current block, where only the wrapper's own numbers are known.
  std::string where_by_number(std::uint64_t row) const { return Base::where(row); }

  virtual void save_own(Archive& /*archive*/) const {}
  virtual void load_own(const Archive& /*archive*/) {}

 private:
  Source* source_;
  std::string prefix_;
};

}  // namespace thalweg
