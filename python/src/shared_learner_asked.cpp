// What a shared learner answers: parameters, how its fit went, rows explained and drawn.
#include "arrays.hpp"
#include "catalogue/fitted_regularisation.hpp"
#include "core/change.hpp"
#include "draw.hpp"
#include "explain.hpp"
#include "files.hpp"
#include "interrupt.hpp"
#include "shared_learner.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <mutex>

namespace thalweg::python {

/// A copy to work with while others learn.
SharedLearner::Snapshot SharedLearner::snapshot() {
  const py::gil_scoped_release release;
  const std::lock_guard turn(turns_);
  learner_.refresh();
  return {learner_.fitted(), learner_.report(), version_};
}

void SharedLearner::refresh() {
  if (seen_ == version_) return;
  Snapshot now = snapshot();
  parameters_ = arrays_of_pieces(now.fitted.parameters);
  report_ = std::move(now.report);
  training_ = now.fitted.training.value_or(Training());
  seen_ = now.version;
}

py::dict SharedLearner::parameters() {
  refresh();
  return parameters_;
}

py::dict SharedLearner::aligned() {
  Fitted now = snapshot().fitted;
  now.regularisation = {};
  align_factors(now);
  return arrays_of_pieces(now.parameters);
}

py::dict SharedLearner::report() {
  refresh();
  using namespace pybind11::literals;
  py::dict events;
  for (std::size_t i = 0; i < event_kinds; ++i) {
    const auto event = static_cast<Event>(i);
    if (training_.events[event] > 0)
      events[py::str(std::string(Events::name(event)))] = training_.events[event];
  }
  // Of the last E-step, or of each row before it was learned.
  std::optional<double> mean = training_.progressive_mean_log_likelihood;
  if (training_.log_likelihood && training_.observations > 0)
    mean = *training_.log_likelihood / training_.observations;
  return py::dict(
      "method"_a = training_.method, "why"_a = report_.why, "converged"_a = training_.converged,
      "stopped"_a = report_.stopped, "n_iter"_a = report_.iterations, "lower_bound"_a = mean,
      "passes"_a = training_.passes, "events"_a = events, "warnings"_a = report_.warnings);
}

py::dict SharedLearner::explain(Rows& rows, const std::vector<std::string>& what,
                                std::size_t threads) {
  refuse_other_widths(rows);
  Interrupt interrupt;
  const Held held(turns_.own.get(), rows.kept);
  const auto wants = [&what](const char* name) {
    return std::find(what.begin(), what.end(), name) != what.end();
  };
  const Wanted wanted{.log_density = wants("log_density"),
                      .posterior = wants("posterior"),
                      .component = wants("component"),
                      .scores = wants("scores")};
  const Fitted now = snapshot().fitted;
  Explained found;
  {
    const py::gil_scoped_release release;
    found = with_places_in_files(rows, [&] {
      return python::explain(now, now.parameters, *rows.source, wanted, ThreadPool(threads),
                             [&interrupt] { return interrupt.asked(); });
    });
  }
  interrupt.raise();
  py::dict out;
  out["rows"] = found.rows;
  out["weight"] = found.weight;
  out["log_likelihood"] = found.log_likelihood;
  if (wanted.log_density) out["log_density"] = array_of(std::move(found.log_density), {found.rows});
  if (wanted.posterior)
    out["posterior"] = array_of(std::move(found.posterior), {found.rows, found.classes});
  if (wanted.component) out["component"] = array_of(std::move(found.component), {found.rows});
  if (wanted.scores) out["scores"] = array_of(std::move(found.scores), {found.rows, found.factors});
  return out;
}

py::array_t<double> SharedLearner::sample(std::size_t rows, std::uint64_t seed,
                                          const std::optional<std::vector<std::size_t>>& counts) {
  Fitted now = snapshot().fitted;
  const std::size_t width = now.schema.width();
  std::vector<double> values;
  Interrupt interrupt;
  {
    const py::gil_scoped_release release;
    values =
        draw_rows(std::move(now), rows, seed, counts, [&interrupt] { return interrupt.asked(); });
  }
  interrupt.raise();
  return array_of(std::move(values), {rows, width});
}

std::string SharedLearner::model() const {
  return turns_.own ? turns_.own->name() : learner_.fitted().entry->name;
}

std::string SharedLearner::shares() const {
  const Piece* const piece = row_shares(*learner_.fitted().plan.parameters);
  return piece ? piece->name : "";
}

std::size_t SharedLearner::free_parameters() { return thalweg::free_parameters(snapshot().fitted); }

py::dict SharedLearner::regularisation() {
  const Regularisation now = snapshot().fitted.regularisation;
  py::dict dict;
  dict["floor"] = now.floor;
  dict["ridge"] = now.ridge;
  dict["prior"] = now.prior ? now.prior->weight : now.prior_strength;
  dict["fixed"] = now.fixed ? now.fixed->words() : std::vector<std::string>();
  return dict;
}

}  // namespace thalweg::python
