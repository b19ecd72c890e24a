// What comes of a shared learner: parts of it, a step, a merger, a file and what is read from one.
#include "files.hpp"
#include "heard_source.hpp"
#include "interrupt.hpp"
#include "setting.hpp"
#include "shared_learner.hpp"
#include <thalweg/catalogue/merge.hpp>
#include <thalweg/catalogue/parts.hpp>
#include <thalweg/core/error.hpp>

#include <mutex>

namespace thalweg::python {
namespace {

std::unique_ptr<SharedLearner> other(Fitted fitted, const py::dict& setting) {
  return std::make_unique<SharedLearner>(
      Learner::from_fitted(std::move(fitted), setting_of(setting)), setting);
}

}  // namespace

/// What comes of a model by its entry in the catalogue alone.
void SharedLearner::refuse_own() const {
  if (turns_.own)
    throw UsageError(turns_.own->name() + " is not of the catalogue: only its models can do this");
}

Fitted SharedLearner::catalogued() {
  refuse_own();
  return snapshot().fitted;
}

/// With statistics and training.
Fitted SharedLearner::complete() {
  const py::gil_scoped_release release;
  const std::lock_guard turn(turns_);
  learner_.refresh();
  return learner_.fitted();
}

std::unique_ptr<SharedLearner> SharedLearner::marginal(const std::vector<std::size_t>& columns,
                                                       const py::dict& setting) {
  return other(thalweg::marginal(catalogued(), columns), setting);
}

std::unique_ptr<SharedLearner> SharedLearner::condition(const std::vector<std::size_t>& given,
                                                        const std::vector<double>& values,
                                                        const py::dict& setting) {
  return other(thalweg::condition(catalogued(), given, values), setting);
}

std::unique_ptr<SharedLearner> SharedLearner::one_step(Rows& rows, std::size_t threads,
                                                       const py::dict& setting) {
  refuse_other_widths(rows);
  const Fitted base = catalogued();
  Interrupt interrupt;
  std::optional<Fitted> share;
  {
    const py::gil_scoped_release release;
    HeardSource source(*rows.source, interrupt);
    source.end_when_asked();
    share = with_places_in_files(
        rows, [&] { return thalweg::one_step(base, source, ThreadPool(threads)); });
  }
  interrupt.raise();
  return other(std::move(*share), setting);
}

std::pair<std::unique_ptr<SharedLearner>, bool> SharedLearner::merge(
    const std::vector<SharedLearner*>& parts, const std::vector<std::string>& names,
    const py::dict& setting) {
  std::vector<Fitted> all;
  for (SharedLearner* part : parts) {
    part->refuse_own();
    all.push_back(part->complete());
  }
  std::optional<Merged> merged;
  {
    const py::gil_scoped_release release;
    merged = thalweg::merge(std::move(all), names);
  }
  return {other(std::move(merged->fitted), setting), merged->exact};
}

void SharedLearner::write(const std::string& path) {
  if (turns_.own)
    throw UsageError("a model file cannot hold " + turns_.own->name() +
                     ", whose methods are in Python (pickle the estimator instead)");
  const Fitted whole = complete();
  const py::gil_scoped_release release;
  write_fitted(path, whole);
}

std::unique_ptr<SharedLearner> SharedLearner::read(const std::string& path, const py::dict& setting,
                                                   const std::vector<std::string>& anew) {
  Fitted fitted = read_fitted(path);
  const Regularisation asked = setting_of(setting).fit.regularisation;
  for (const std::string& term : anew) {
    if (term == "floor") fitted.regularisation.floor = asked.floor;
    if (term == "ridge") fitted.regularisation.ridge = asked.ridge;
  }
  return other(std::move(fitted), setting);
}

}  // namespace thalweg::python
