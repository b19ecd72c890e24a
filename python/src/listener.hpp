// An observer that tells Python: a table, a callback after every M-step, and now and then a bar.
#pragma once

#include "interrupt.hpp"
#include <thalweg/core/source.hpp>
#include <thalweg/core/step.hpp>
#include <thalweg/observers/progress.hpp>

#include <pybind11/pybind11.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace thalweg::python {

namespace py = pybind11;

/// A step as Python sees it. Its parameters can be asked for only while the callback runs.
class ToldStep {
 public:
  explicit ToldStep(const Step& step) : step_(step) { step_.current = nullptr; }

  std::string phase() const;
  std::uint64_t number() const { return step_.number; }
  std::uint64_t rows() const { return step_.rows; }
  std::uint64_t batch_rows() const { return step_.batch_rows; }
  double rate() const { return step_.rate; }
  std::optional<double> mean_log_likelihood() const;
  py::dict parameters() const;
  std::string text() const;

  void end() { step_.reporter = nullptr; }

 private:
  Step step_;
};

/// The table of progressive validation, written by Python; it goes on from portion to portion.
class PrintedTable {
 public:
  /// `every`: iterations of batch EM between two lines.
  explicit PrintedTable(std::uint64_t every);
  PrintedTable(const PrintedTable&) = delete;
  PrintedTable& operator=(const PrintedTable&) = delete;

  void on(const Step& step, const py::object& write) {
    write_ = &write;
    progress_.on(step);
  }

 private:
  const py::object* write_ = nullptr;  // `write(text)`
  Progress progress_;
};

/// What Python is told of one run, with its lock held. What it raises ends the run by way of the interrupt, and never leaves
/// through the estimator.
class Listener final : public Observer {
 public:
  /// `write(text)` for the table, `on_step(step)`, true to stop, and `tick(step, rows of this run, share read)`; each may be None.
  Listener(std::shared_ptr<PrintedTable> table, py::object write, py::object on_step,
           py::object tick);

  void begin(Interrupt& interrupt, const Source& source) {
    interrupt_ = &interrupt;
    source_ = &source;
  }

  bool may_stop() const { return !on_step_.is_none(); }
  void on(const Step& step) override;

 private:
  using Clock = std::chrono::steady_clock;

  void call_back(const Step& step);
  bool tick_is_due(const Step& step);
  void tick(const Step& step);

  std::shared_ptr<PrintedTable> table_;
  py::object write_;
  py::object on_step_;
  py::object tick_;
  Interrupt* interrupt_ = nullptr;
  const Source* source_ = nullptr;
  std::uint64_t rows_ = 0;
  std::uint64_t steps_ = 0;
  Clock::time_point ticked_ = {};
};

}  // namespace thalweg::python
