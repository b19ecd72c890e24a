// Steps told to a Python function.
#include "listener.hpp"

#include "arrays.hpp"
#include "bind.hpp"
#include <thalweg/core/error.hpp>

#include <pybind11/stl.h>

#include <utility>

namespace thalweg::python {

std::string ToldStep::phase() const {
  return step_.phase == Phase::buffer   ? "buffer"
         : step_.phase == Phase::online ? "online"
                                        : "batch";
}

std::optional<double> ToldStep::mean_log_likelihood() const {
  if (!(step_.batch_weight > 0)) return std::nullopt;
  return step_.log_likelihood / step_.batch_weight;
}

py::dict ToldStep::parameters() const {
  if (!step_.reporter)
    throw Error("the parameters of a step can be asked for only while on_step runs (keep them)");
  return arrays_of_pieces(step_.reporter->reported());
}

std::string ToldStep::text() const {
  std::string text = "<" + phase() + " step " + std::to_string(step_.number) + ", " +
                     std::to_string(step_.rows) + " rows";
  if (const auto mean = mean_log_likelihood())
    text += ", mean log-likelihood " + std::to_string(*mean);
  return text + ">";
}

PrintedTable::PrintedTable(std::uint64_t every)
    : progress_(
          [this](const std::string& text) {
            const py::gil_scoped_acquire gil;
            (*write_)(text);
          },
          ProgressOptions{.share_read = {}, .every = every}) {}

Listener::Listener(std::shared_ptr<PrintedTable> table, py::object write, py::object on_step,
                   py::object tick)
    : table_(std::move(table)),
      write_(std::move(write)),
      on_step_(std::move(on_step)),
      tick_(std::move(tick)) {}

void Listener::on(const Step& step) {
  if (interrupt_->heard()) return;  // the run is about to end
  rows_ += step.batch_rows;
  try {
    if (table_) table_->on(step, write_);
    if (!on_step_.is_none() && step.phase != Phase::buffer) call_back(step);
    if (!tick_.is_none() && tick_is_due(step)) tick(step);
  } catch (const py::error_already_set& error) {
    interrupt_->hear(error);
  }
}

void Listener::call_back(const Step& step) {
  const py::gil_scoped_acquire gil;
  const auto told = std::make_shared<ToldStep>(step);
  py::object answer;
  try {
    answer = on_step_(told);
  } catch (const py::error_already_set&) {
    told->end();
    throw;
  }
  told->end();
  py::detail::make_caster<bool>
      truth;  // without conversion: a bool of Python or NumPy, nothing else
  if (truth.load(answer, false) && static_cast<bool>(truth)) interrupt_->stop();
}

/// The clock is asked rarely: steps may be of one row.
bool Listener::tick_is_due(const Step& step) {
  constexpr std::chrono::milliseconds pause(100);
  if (++steps_ % 64 != 0 && step.batch_rows < 64) return false;
  const auto now = Clock::now();
  if (now - ticked_ < pause) return false;
  ticked_ = now;
  return true;
}

void Listener::tick(const Step& step) {
  const auto share = source_->share_read();
  const py::gil_scoped_acquire gil;
  const auto told = std::make_shared<ToldStep>(step);
  tick_(told, rows_, share);
  told->end();
}

void bind_listener(py::module_& module) {
  py::class_<ToldStep, std::shared_ptr<ToldStep>>(module, "Step",
                                                  "What on_step is told: one M-step of a run.")
      .def_property_readonly("phase", &ToldStep::phase, "'online' or 'batch'.")
      .def_property_readonly("number", &ToldStep::number, "M-steps or iterations so far.")
      .def_property_readonly("rows", &ToldStep::rows, "Rows seen so far, all passes together.")
      .def_property_readonly("batch_rows", &ToldStep::batch_rows, "Rows of this step.")
      .def_property_readonly("rate", &ToldStep::rate, "The step size; 1 for batch EM.")
      .def_property_readonly("mean_log_likelihood", &ToldStep::mean_log_likelihood,
                             "Of the rows of this step, before they were learned.")
      .def("parameters", &ToldStep::parameters,
           "The parameters that a fit would give if it ended here, by name.")
      .def("__repr__", &ToldStep::text);
  py::class_<PrintedTable, std::shared_ptr<PrintedTable>>(
      module, "PrintedTable", "The table of progressive validation, from portion to portion.")
      .def(py::init<std::uint64_t>(), py::arg("every"));
  py::class_<Listener>(module, "Listener", "Tells Python how a run goes.")
      .def(py::init<std::shared_ptr<PrintedTable>, py::object, py::object, py::object>(),
           py::arg("table"), py::arg("write"), py::arg("on_step"), py::arg("tick"));
}

}  // namespace thalweg::python
