// A Learner that several threads of Python may hold: everything that takes time runs without the interpreter's lock, one call at a
// time.
#pragma once

#include "learner.hpp"
#include "listener.hpp"
#include "relay.hpp"
#include "rows.hpp"
#include "turns.hpp"

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace thalweg::python {

namespace py = pybind11;

using Texts = std::map<std::string, std::string>;
using Levels = std::vector<std::vector<std::string>>;  // of each column

class SharedLearner {
 public:
  SharedLearner(const std::string& model, const Texts& options, std::vector<std::string> names,
                const py::dict& setting, Levels levels);
  SharedLearner(std::shared_ptr<OwnCalls> own, std::vector<std::string> names,
                const py::dict& setting);
  SharedLearner(Learner learner, py::dict setting);
  static std::unique_ptr<SharedLearner> of_model(const py::object& calls,
                                                 std::vector<std::string> names,
                                                 const py::dict& setting);

  // Learning.

  /// Parameters by name, checked as those of a model file are.
  void begin(const py::dict& given, double bound);
  void place(const py::dict& given);

  /// A listener is told of every step. Whatever ends the run early, what was learned until then stays.
  void fit(Rows& rows, std::size_t threads, Listener* listener);

  /// More rows. One that is refused leaves everything as it was before the call; of rows that cannot be read again, as before their
  /// block.
  void learn(Rows& rows, Listener* listener);

  /// The quick way for a small array as it should be; false: it is not, and has to be looked at. Such arrays come often: nothing is
  /// done for them that is not needed.
  bool learn_array(const py::object& given);

  // Asking. How far it came is known without waiting for whoever learns just now.

  bool ready() const { return ready_; }
  std::uint64_t rows_until_ready() const { return until_ready_; }
  std::uint64_t rows() const { return rows_; }
  bool provisional() const { return provisional_; }
  py::dict parameters();
  py::dict aligned();  // parameters with factors in their one form, whatever they are now
  py::dict report();
  py::dict regularisation();
  std::size_t free_parameters();  // without those that are held
  py::dict explain(Rows& rows, const std::vector<std::string>& what, std::size_t threads);

  /// Rows drawn from the model; with counts, so many of each component in turn.
  py::array_t<double> sample(std::size_t rows, std::uint64_t seed,
                             const std::optional<std::vector<std::size_t>>& counts);

  // What never changes.

  std::vector<std::string> names() const { return learner_.schema().columns; }
  Levels levels() const { return learner_.schema().levels; }
  std::string model() const;
  /// The parameter that says how many of all rows each component has; empty where there is none.
  std::string shares() const;
  Texts options() const { return learner_.fitted().options.values(); }
  py::dict setting() const { return setting_; }  // as it was given

  // Others that come from this one: learners of their own.

  std::unique_ptr<SharedLearner> marginal(const std::vector<std::size_t>& columns,
                                          const py::dict& setting);
  std::unique_ptr<SharedLearner> condition(const std::vector<std::size_t>& given,
                                           const std::vector<double>& values,
                                           const py::dict& setting);
  std::unique_ptr<SharedLearner> one_step(Rows& rows, std::size_t threads, const py::dict& setting);
  static std::pair<std::unique_ptr<SharedLearner>, bool> merge(
      const std::vector<SharedLearner*>& parts, const std::vector<std::string>& names,
      const py::dict& setting);

  // Keeping.

  void write(const std::string& path);
  /// `anew`: regularisation ("floor", "ridge") that are as set from now on, not as they were in the fit.
  static std::unique_ptr<SharedLearner> read(const std::string& path, const py::dict& setting,
                                             const std::vector<std::string>& anew);
  py::bytes state();
  void set_state(const std::string& bytes);

 private:
  class Change;
  struct Snapshot {
    Fitted fitted;
    Report report;
    std::uint64_t version;
  };

  Parameters parameters_from(const std::vector<NamedArray>& arrays) const;
  bool searches_with(py::ssize_t rows) const;
  static std::size_t rows_of_a_piece(std::size_t step, bool may_stop);
  void refuse_own() const;
  void refuse_other_widths(const Rows& rows) const;
  Fitted complete();
  Fitted catalogued();
  Snapshot snapshot();
  void refresh();
  void tell_progress();

  Turns turns_;  // taken only without the interpreter's lock
  Learner learner_;
  py::dict setting_;
  Relay relay_;
  std::atomic<std::uint64_t> version_ = 1;  // grows when a change begins
  std::atomic<bool> ready_ = false;
  std::atomic<bool> provisional_ = false;
  std::atomic<std::uint64_t> until_search_ = 0;
  std::atomic<std::uint64_t> until_ready_ = 0;
  std::atomic<std::uint64_t> rows_ = 0;

  // As they were last asked for; under the interpreter's lock.
  py::dict parameters_;
  Report report_;
  Training training_;
  std::uint64_t seen_ = 0;  // their version
};

}  // namespace thalweg::python
