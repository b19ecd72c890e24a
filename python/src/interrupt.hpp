// Ctrl-C while the interpreter's lock is not held: asked for now and then, kept, and raised when the model is in order again.
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <optional>

namespace thalweg::python {

class Interrupt {
 public:
  /// With the lock held. Python hears signals in its main thread only.
  Interrupt();

  /// Without it; looks at most every 50 ms.
  bool asked();

  /// With the lock held: raises what was heard.
  void raise() {
    if (heard_) throw pybind11::error_already_set(*heard_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  bool main_thread_;
  Clock::time_point looked_ = Clock::now();
  std::optional<pybind11::error_already_set> heard_;
};

}  // namespace thalweg::python
