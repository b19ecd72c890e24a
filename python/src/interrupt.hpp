// What ends a run early while the interpreter's lock is not held: Ctrl-C, asked for now and then, an exception of Python code that
// was called, or a wish. Exceptions are kept, and raised when the model is in order again.
#pragma once

#include <pybind11/pybind11.h>

#include <chrono>
#include <optional>

namespace thalweg::python {

class Interrupt {
 public:
  /// With the lock held. Python hears signals in its main thread only.
  Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt();

  /// The innermost one of this thread; null where nobody listens.
  static Interrupt* current();

  /// Without it; looks for signals at most every 50 ms.
  bool asked();

  /// Ends the run; an exception is raised after it.
  void stop() { wished_ = true; }
  void hear(const pybind11::error_already_set& error) {
    heard_.emplace(error);
    looked_ = Clock::now();
  }
  bool heard() const { return heard_.has_value(); }

  /// With the lock held: raises what was heard.
  void raise() {
    if (heard_) throw pybind11::error_already_set(*heard_);
  }
  /// … where the run did not come to an end for long.
  void raise_if_overdue();

 private:
  using Clock = std::chrono::steady_clock;

  bool main_thread_;
  Interrupt* outer_;
  bool wished_ = false;
  Clock::time_point looked_ = Clock::now();
  std::optional<pybind11::error_already_set> heard_;
};

}  // namespace thalweg::python
