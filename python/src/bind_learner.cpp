// The class Learner: everything that takes time runs without the interpreter's lock, one call at a time.
#include "arrays.hpp"
#include "bind.hpp"
#include "explain.hpp"
#include "heard_source.hpp"
#include "interrupt.hpp"
#include "learner.hpp"
#include "listener.hpp"
#include "rows.hpp"
#include "setting.hpp"
#include "turns.hpp"
#include <thalweg/catalogue/gaussian_parts.hpp>
#include <thalweg/catalogue/merge.hpp>
#include <thalweg/core/domain.hpp>
#include <thalweg/core/error.hpp>

#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <sstream>
#include <utility>

namespace thalweg::python {
namespace {

using Texts = std::map<std::string, std::string>;
using Levels = std::vector<std::vector<std::string>>;  // of each column

ModelOptions options_of(const Texts& texts) {
  ModelOptions options;
  for (const auto& [name, value] : texts) options.set(name, value);
  return options;
}

/// Portions come with a listener or without; a Learner is watched by one and the same observer.
class Relay final : public Observer {
 public:
  void on(const Step& step) override {
    if (listener_) listener_->on(step);
  }

  /// While it lives, the listener is told of what the learner learns.
  class Turn {
   public:
    Turn(Relay& relay, Listener* listener, Learner& learner) : relay_(relay) {
      if (listener && !std::exchange(relay.watches_, true)) learner.watch(relay);
      relay.listener_ = listener;
    }
    ~Turn() { relay_.listener_ = nullptr; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Relay& relay_;
  };

 private:
  Listener* listener_ = nullptr;
  bool watches_ = false;
};

Setting careful(Setting setting) {
  setting.careful = true;
  return setting;
}

/// A Learner that several threads of Python may hold.
class SharedLearner {
 public:
  SharedLearner(const std::string& model, const Texts& options, std::vector<std::string> names,
                const py::dict& setting, Levels levels)
      : learner_(find_entry(model), options_of(options),
                 Schema{std::move(names), std::move(levels)}, setting_of(setting)) {}
  explicit SharedLearner(Learner learner) : learner_(std::move(learner)) {}
  SharedLearner(std::shared_ptr<OwnCalls> own, std::vector<std::string> names,
                const py::dict& setting)
      : learner_(erase(OwnModel(own)), Schema{std::move(names)}, careful(setting_of(setting))) {
    turns_.own = std::move(own);
  }
  static std::unique_ptr<SharedLearner> of_model(const py::object& calls,
                                                 std::vector<std::string> names,
                                                 const py::dict& setting) {
    return std::make_unique<SharedLearner>(std::make_shared<OwnCalls>(calls), std::move(names),
                                           setting);
  }

  /// Parameters by name, checked as those of a model file are.
  void begin(const py::dict& given, double bound) {
    std::vector<NamedArray> arrays = arrays_from(given);
    const auto& pieces = learner_.fitted().plan.parameters->pieces();
    const auto known = [&arrays](const Piece& piece) {
      return piece.constant || std::any_of(arrays.begin(), arrays.end(), [&piece](const auto& a) {
               return a.name == piece.name;
             });
    };
    if (std::all_of(pieces.begin(), pieces.end(), known)) {
      learner_.begin(parameters_from(arrays), bound);
    } else {
      learner_.begin(std::move(arrays));
    }
  }
  void place(const py::dict& given) {
    Parameters theta = parameters_from(arrays_from(given));
    const py::gil_scoped_release release;
    const std::lock_guard turn(turns_);
    learner_.place(std::move(theta));
    fresh_ = false;
  }

  /// A listener is told of every step. Whatever ends the run early, what was learned until then stays.
  void fit(Rows& rows, std::size_t threads, Listener* listener) {
    Interrupt interrupt;
    const Held held(turns_.own.get(), rows.kept);
    {
      const py::gil_scoped_release release;
      const std::lock_guard turn(turns_);
      const bool may_stop = listener && listener->may_stop();
      HeardSource source(*rows.source, interrupt,
                         may_stop ? learner_.rows_of_a_step(rows.source->rows()) : 0);
      std::vector<Observer*> observers;
      if (listener) {
        listener->begin(interrupt, source);
        observers.push_back(listener);
      }
      fresh_ = false;
      try {
        learner_.fit(
            source, Crew(threads), [&interrupt] { return interrupt.asked(); }, observers);
      } catch (const Error&) {
        if (!interrupt.heard()) throw;  // else too few rows came to say anything
      }
    }
    interrupt.raise();
  }

  /// More rows. Small portions come often: nothing is done for them that is not needed.
  void learn(Rows& rows, Listener* listener) {
    Interrupt interrupt;
    const Held held(turns_.own.get(), rows.kept);
    {
      const py::gil_scoped_release release;
      const std::lock_guard turn(turns_);
      fresh_ = false;
      const bool may_stop = listener && listener->may_stop();
      HeardSource source(*rows.source, interrupt, may_stop ? learner_.rows_of_a_portion() : 0);
      if (listener) listener->begin(interrupt, source);
      const Relay::Turn told(relay_, listener, learner_);
      for (const Block& block : source) {
        learner_.learn(block, [&interrupt] { return interrupt.asked(); });
        if (interrupt.asked()) break;
      }
    }
    interrupt.raise();
  }

  /// The quick way for an array as it should be; false: it is not, and has to be looked at.
  bool learn_array(const py::object& given) {
    if (!py::isinstance<py::array>(given)) return false;
    if (learner_.schema().has_categories()) return false;  // cells are no numbers of levels yet
    const auto values = py::reinterpret_borrow<py::array>(given);
    if (values.ndim() != 2 || values.shape(0) == 0 || !is_plain(values) ||
        static_cast<std::size_t>(values.shape(1)) != learner_.schema().width())
      return false;
    constexpr py::ssize_t few = 4096;  // more may take long enough for Ctrl-C
    if (values.shape(0) > few || starts_with(values.shape(0))) return false;
    const Block block = block_of(values, nullptr);
    const Held held(turns_.own.get(), values);
    const py::gil_scoped_release release;
    const std::lock_guard turn(turns_);
    learner_.learn(block);
    fresh_ = false;
    return true;
  }

  bool ready() const { return learner_.ready(); }
  std::uint64_t rows_until_ready() const { return learner_.rows_until_ready(); }
  std::uint64_t rows() const { return learner_.rows(); }
  double weight() const { return learner_.weight(); }

  py::dict parameters() {
    refresh();
    return parameters_;
  }

  py::dict report() {
    refresh();
    using namespace pybind11::literals;
    const Report& report = learner_.report();
    py::dict events;
    for (std::size_t i = 0; i < event_kinds; ++i) {
      const auto event = static_cast<Event>(i);
      if (report.events[event] > 0)
        events[py::str(std::string(Events::name(event)))] = report.events[event];
    }
    return py::dict("method"_a = report.method, "why"_a = report.why,
                    "converged"_a = report.converged, "stopped"_a = report.stopped,
                    "n_iter"_a = report.iterations, "lower_bound"_a = report.lower_bound,
                    "passes"_a = report.passes, "events"_a = events);
  }

  py::dict explain(Rows& rows, const std::vector<std::string>& what, std::size_t threads) {
    Interrupt interrupt;
    const Held held(turns_.own.get(), rows.kept);
    const auto wants = [&what](const char* name) {
      return std::find(what.begin(), what.end(), name) != what.end();
    };
    const Wanted wanted{.log_density = wants("log_density"),
                        .posterior = wants("posterior"),
                        .component = wants("component"),
                        .scores = wants("scores")};
    Explained found;
    {
      const py::gil_scoped_release release;
      const Fitted now = fitted_now();
      found = python::explain(now, now.parameters, *rows.source, wanted, Crew(threads),
                              [&interrupt] { return interrupt.asked(); });
    }
    interrupt.raise();
    py::dict out;
    out["rows"] = found.rows;
    out["weight"] = found.weight;
    out["log_likelihood"] = found.log_likelihood;
    if (wanted.log_density)
      out["log_density"] = array_of(std::move(found.log_density), {found.rows});
    if (wanted.posterior)
      out["posterior"] = array_of(std::move(found.posterior), {found.rows, found.classes});
    if (wanted.component) out["component"] = array_of(std::move(found.component), {found.rows});
    if (wanted.scores)
      out["scores"] = array_of(std::move(found.scores), {found.rows, found.factors});
    return out;
  }

  /// Rows drawn from the model; with counts, so many of each component in turn.
  py::array_t<double> sample(std::size_t rows, std::uint64_t seed,
                             const std::optional<std::vector<std::size_t>>& counts) {
    std::size_t width = 0;
    std::vector<double> values;
    {
      const py::gil_scoped_release release;
      Fitted now = fitted_now();
      width = now.schema.width();
      values.resize(rows * width);
      const Block none = dense_block(nullptr, 0, width);
      std::size_t t = 0;
      const auto draw = [&](std::size_t until) {
        for (; t < until; ++t) {
          Random random(seed, t);
          now.model->draw(now.parameters, none, random, values.data() + t * width);
        }
      };
      if (counts) {
        const auto weights = now.parameters["weights"];
        for (std::size_t k = 0; k < counts->size(); ++k) {
          std::fill(weights.begin(), weights.end(), 0.0);
          weights[k] = 1;
          draw(t + (*counts)[k]);
        }
      } else {
        draw(rows);
      }
    }
    return array_of(std::move(values), {rows, width});
  }

  // Others that come from this one are learners of their own.

  std::unique_ptr<SharedLearner> marginal(const std::vector<std::size_t>& columns,
                                          const py::dict& setting) {
    return other(thalweg::marginal(catalogued(), columns), setting);
  }
  std::unique_ptr<SharedLearner> condition(const std::vector<std::size_t>& given,
                                           const std::vector<double>& values,
                                           const py::dict& setting) {
    return other(thalweg::condition(catalogued(), given, values), setting);
  }
  std::unique_ptr<SharedLearner> one_step(Rows& rows, std::size_t threads,
                                          const py::dict& setting) {
    const Fitted base = catalogued();
    Terms terms = learner_.terms();
    Interrupt interrupt;
    std::optional<Fitted> share;
    {
      const py::gil_scoped_release release;
      terms.crew = Crew(threads);
      HeardSource source(*rows.source, interrupt);
      share = thalweg::one_step(base, source, terms);
    }
    interrupt.raise();
    return other(std::move(*share), setting);
  }
  static std::pair<std::unique_ptr<SharedLearner>, bool> merge(
      const std::vector<SharedLearner*>& parts, const std::vector<std::string>& names,
      const py::dict& setting) {
    std::vector<Fitted> all;
    for (SharedLearner* part : parts) {
      part->refuse_own();
      const py::gil_scoped_release release;
      const std::lock_guard turn(part->turns_);
      part->learner_.refresh();
      all.push_back(part->learner_.complete());
    }
    const Terms terms = parts.empty() ? Terms{} : parts.front()->learner_.terms();
    std::optional<Merged> merged;
    {
      const py::gil_scoped_release release;
      merged = thalweg::merge(std::move(all), names, terms);
    }
    return {other(std::move(merged->fitted), setting), merged->exact};
  }

  std::size_t free_parameters() const { return learner_.fitted().plan.free_parameters; }
  std::vector<std::string> names() const { return learner_.schema().columns; }
  Levels levels() const { return learner_.schema().levels; }
  std::string model() const {
    return turns_.own ? turns_.own->name() : learner_.fitted().entry->name;
  }
  Texts options() const { return learner_.fitted().options.values(); }

  void write(const std::string& path) {
    if (turns_.own)
      throw UsageError("a model file cannot hold " + turns_.own->name() +
                       ", whose methods are in Python (pickle the estimator instead)");
    const py::gil_scoped_release release;
    const std::lock_guard turn(turns_);
    learner_.refresh();
    write_fitted(path, learner_.complete());
  }

  static std::unique_ptr<SharedLearner> read(const std::string& path, const py::dict& setting) {
    return other(read_fitted(path), setting);
  }

  py::bytes state() {
    std::ostringstream out;
    {
      const py::gil_scoped_release release;
      const std::lock_guard turn(turns_);
      learner_.save().write(out);
    }
    return py::bytes(out.str());
  }

  void set_state(const std::string& bytes) {
    const py::gil_scoped_release release;
    const std::lock_guard turn(turns_);
    std::istringstream in(bytes);
    learner_.load(Archive::read(in));
    fresh_ = false;
  }

 private:
  /// Arrays by name, each of the shape and in the domain of its piece.
  std::vector<NamedArray> arrays_from(const py::dict& given) const {
    const Layout& layout = *learner_.fitted().plan.parameters;
    std::vector<NamedArray> arrays;
    for (const auto& [key, value] : given) {
      const auto array = py::cast<py::array_t<double, py::array::c_style | py::array::forcecast>>(
          py::reinterpret_borrow<py::object>(value));
      NamedArray named{.name = key.cast<std::string>(), .shape = {}, .values = {}};
      for (py::ssize_t i = 0; i < array.ndim(); ++i)
        named.shape.push_back(static_cast<std::size_t>(array.shape(i)));
      named.values.assign(array.data(), array.data() + array.size());
      if (const Piece* piece = layout.find(named.name); piece && piece->shape == named.shape)
        named.parts = piece->parts;  // tables side by side
      arrays.push_back(std::move(named));
    }
    check_shapes(arrays, layout);
    for (const NamedArray& array : arrays)
      if (const std::string fault = domain_fault(*layout.find(array.name), array.values);
          !fault.empty())
        throw Error(fault);
    return arrays;
  }

  Parameters parameters_from(const std::vector<NamedArray>& arrays) const {
    Parameters theta(learner_.fitted().plan.parameters);
    fill_from(arrays, theta);
    learner_.fitted().model->calibrate(dense_block(nullptr, 0, learner_.schema().width()), theta);
    return theta;
  }

  static std::unique_ptr<SharedLearner> other(Fitted fitted, const py::dict& setting) {
    return std::make_unique<SharedLearner>(
        Learner::from_fitted(std::move(fitted), setting_of(setting)));
  }

  /// The search for starts comes with so many rows: it may take long enough for Ctrl-C.
  bool starts_with(py::ssize_t rows) const {
    return !learner_.ready() && learner_.rows_until_ready() <= static_cast<std::uint64_t>(rows);
  }

  /// What comes of a model by its entry in the catalogue alone.
  void refuse_own() const {
    if (turns_.own)
      throw UsageError(turns_.own->name() +
                       " is not of the catalogue: only its models can do this");
  }
  Fitted catalogued() {
    refuse_own();
    return now();
  }

  Fitted now() {
    const py::gil_scoped_release release;
    return fitted_now();
  }

  /// A copy to work with while others learn.
  Fitted fitted_now() {
    const std::lock_guard turn(turns_);
    learner_.refresh();
    return learner_.fitted();
  }

  void refresh() {
    if (fresh_) return;
    parameters_ = arrays_of_pieces(now().parameters);
    fresh_ = true;
  }

  Turns turns_;  // taken only without the interpreter's lock
  Learner learner_;
  Relay relay_;
  py::dict parameters_;  // as they were last asked for
  bool fresh_ = false;   // … and still are
};

}  // namespace

void bind_learner(py::module_& module) {
  py::class_<SharedLearner>(module, "Learner", "A model of the catalogue that learns.")
      .def(py::init<const std::string&, const Texts&, std::vector<std::string>, const py::dict&,
                    Levels>(),
           py::arg("model"), py::arg("options"), py::arg("names"), py::arg("setting"),
           py::arg("levels") = Levels{})
      .def_static("of_model", &SharedLearner::of_model, py::arg("calls"), py::arg("names"),
                  py::arg("setting"))
      .def("begin", &SharedLearner::begin, py::arg("parameters"), py::arg("bound") = -HUGE_VAL)
      .def("place", &SharedLearner::place, py::arg("parameters"))
      .def("fit", &SharedLearner::fit, py::arg("rows"), py::arg("threads") = 1,
           py::arg("listener") = py::none())
      .def("learn", &SharedLearner::learn, py::arg("rows"), py::arg("listener") = py::none())
      .def("learn_array", &SharedLearner::learn_array, py::arg("values"))
      .def_property_readonly("ready", &SharedLearner::ready)
      .def_property_readonly("rows_until_ready", &SharedLearner::rows_until_ready)
      .def_property_readonly("rows", &SharedLearner::rows)
      .def_property_readonly("weight", &SharedLearner::weight)
      .def_property_readonly("free_parameters", &SharedLearner::free_parameters)
      .def_property_readonly("names", &SharedLearner::names)
      .def_property_readonly("levels", &SharedLearner::levels)
      .def_property_readonly("model", &SharedLearner::model)
      .def_property_readonly("options", &SharedLearner::options)
      .def("parameters", &SharedLearner::parameters)
      .def("report", &SharedLearner::report)
      .def("explain", &SharedLearner::explain, py::arg("rows"), py::arg("what"),
           py::arg("threads") = 1)
      .def("sample", &SharedLearner::sample, py::arg("rows"), py::arg("seed"),
           py::arg("counts") = py::none())
      .def("marginal", &SharedLearner::marginal, py::arg("columns"), py::arg("setting"))
      .def("condition", &SharedLearner::condition, py::arg("given"), py::arg("values"),
           py::arg("setting"))
      .def("one_step", &SharedLearner::one_step, py::arg("rows"), py::arg("threads"),
           py::arg("setting"))
      .def_static("merge", &SharedLearner::merge, py::arg("parts"), py::arg("names"),
                  py::arg("setting"))
      .def("write", &SharedLearner::write, py::arg("path"))
      .def_static("read", &SharedLearner::read, py::arg("path"), py::arg("setting"))
      .def("state", &SharedLearner::state)
      .def("set_state", &SharedLearner::set_state, py::arg("state"));
}

}  // namespace thalweg::python
