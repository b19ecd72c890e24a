// Rows whose reading can be cut short: an E-step that nobody waits for any more is left in the middle.
#pragma once

#include <thalweg/core/forwarding.hpp>

#include <functional>
#include <utility>

namespace thalweg {

/// Thrown while rows are read.
struct Stopped {};

class Watched final : public Forwarding<> {
 public:
  /// Without `stop` they are all read.
  Watched(Source& source, std::function<bool()> stop)
      : Forwarding(source), stop_(std::move(stop)) {}

  bool next(Block& block) override {
    check_stop();
    const bool more = source().next(block);
    if (!more) check_stop();  // that may not be the end of the rows
    return more;
  }

 private:
  void check_stop() const {
    if (stop_ && stop_()) throw Stopped();
  }

  std::function<bool()> stop_;
};

}  // namespace thalweg
