// Rows whose reading can be cut short: an E-step that nobody waits for any more is left in the middle.
#pragma once

#include <thalweg/core/source.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace thalweg {

/// Thrown while rows are read.
struct Stopped {};

class Watched final : public Source {
 public:
  /// Without `stop` they are all read.
  Watched(Source& source, std::function<bool()> stop) : source_(source), stop_(std::move(stop)) {}

  const Schema& schema() const override { return source_.schema(); }
  bool next(Block& block) override {
    check_stop();
    const bool more = source_.next(block);
    if (!more) check_stop();  // that may not be the end of the rows
    return more;
  }
  bool rewind() override { return source_.rewind(); }
  std::optional<std::uint64_t> rows() const override { return source_.rows(); }
  std::optional<double> share_read() const override { return source_.share_read(); }
  std::string where(std::uint64_t row) const override { return source_.where(row); }

 private:
  void check_stop() const {
    if (stop_ && stop_()) throw Stopped();
  }

  Source& source_;
  std::function<bool()> stop_;
};

}  // namespace thalweg
