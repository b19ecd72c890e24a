// Ctrl-C while the interpreter's lock is let go.
#include "interrupt.hpp"

#include <utility>

namespace thalweg::python {

namespace py = pybind11;

namespace {

thread_local Interrupt* innermost = nullptr;

}  // namespace

Interrupt::Interrupt() : outer_(std::exchange(innermost, this)) {
  const py::module_ threading = py::module_::import("threading");
  main_thread_ = threading.attr("current_thread")().is(threading.attr("main_thread")());
}

Interrupt::~Interrupt() { innermost = outer_; }

Interrupt* Interrupt::current() { return innermost; }

void Interrupt::raise_if_overdue() {
  constexpr std::chrono::milliseconds patience(400);
  if (heard_ && Clock::now() - looked_ > patience) raise();
}

bool Interrupt::asked() {
  constexpr std::chrono::milliseconds pause(50);
  if (heard_ || wished_) return true;
  if (!main_thread_ || Clock::now() - looked_ < pause) return false;
  const py::gil_scoped_acquire gil;
  if (PyErr_CheckSignals() != 0) heard_.emplace();
  looked_ = Clock::now();
  return heard_.has_value();
}

}  // namespace thalweg::python
