// A learner for several threads of Python, one call at a time.
#include "shared_learner.hpp"

#include "arrays.hpp"
#include "files.hpp"
#include "heard_source.hpp"
#include "interrupt.hpp"
#include "setting.hpp"
#include <thalweg/core/error.hpp>

#include <pybind11/stl.h>

#include <algorithm>
#include <mutex>
#include <sstream>

namespace thalweg::python {
namespace {

ModelOptions options_of(const Texts& texts) {
  ModelOptions options;
  for (const auto& [name, value] : texts) options.set(name, value);
  return options;
}

Setting careful(Setting setting) {
  setting.careful = true;
  return setting;
}

}  // namespace

/// A turn to change the learner, without the interpreter's lock. At its end everyone sees how far it came.
class SharedLearner::Change {
 public:
  explicit Change(SharedLearner& shared) : shared_(shared), turn_(shared.turns_) {
    ++shared_.version_;
  }
  ~Change() { shared_.tell_progress(); }
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;

 private:
  SharedLearner& shared_;
  py::gil_scoped_release release_;
  std::lock_guard<Turns> turn_;
};

SharedLearner::SharedLearner(Learner learner, py::dict setting)
    : learner_(std::move(learner)), setting_(std::move(setting)) {
  tell_progress();
}

SharedLearner::SharedLearner(const std::string& model, const Texts& options,
                             std::vector<std::string> names, const py::dict& setting, Levels levels)
    : SharedLearner(Learner(find_entry(model), options_of(options),
                            Schema{std::move(names), std::move(levels)}, setting_of(setting)),
                    setting) {}

SharedLearner::SharedLearner(std::shared_ptr<OwnCalls> own, std::vector<std::string> names,
                             const py::dict& setting)
    : SharedLearner(Learner(own_model(own), Schema{std::move(names)}, careful(setting_of(setting))),
                    setting) {
  turns_.own = std::move(own);
}

std::unique_ptr<SharedLearner> SharedLearner::of_model(const py::object& calls,
                                                       std::vector<std::string> names,
                                                       const py::dict& setting) {
  return std::make_unique<SharedLearner>(std::make_shared<OwnCalls>(calls), std::move(names),
                                         setting);
}

void SharedLearner::tell_progress() {
  ready_ = learner_.ready();
  until_ready_ = learner_.rows_until_ready();
  rows_ = learner_.rows();
  provisional_ = learner_.provisional();
  until_search_ = learner_.rows_until_search();
}

void SharedLearner::begin(const py::dict& given, double bound) {
  std::vector<NamedArray> arrays = arrays_from(given, *learner_.fitted().plan.parameters);
  const auto& pieces = learner_.fitted().plan.parameters->pieces();
  const auto known = [&arrays](const Piece& piece) {
    return piece.constant || std::any_of(arrays.begin(), arrays.end(),
                                         [&piece](const auto& a) { return a.name == piece.name; });
  };
  std::optional<Parameters> theta;
  if (std::all_of(pieces.begin(), pieces.end(), known)) theta = parameters_from(arrays);
  const Change change(*this);
  if (theta) {
    learner_.begin(std::move(*theta), bound);
  } else {
    learner_.begin(std::move(arrays));
  }
}

void SharedLearner::place(const py::dict& given) {
  Parameters theta = parameters_from(arrays_from(given, *learner_.fitted().plan.parameters));
  const Change change(*this);
  learner_.place(std::move(theta));
}

void SharedLearner::fit(Rows& rows, std::size_t threads, Listener* listener) {
  refuse_other_widths(rows);
  Interrupt interrupt;
  const Held held(turns_.own.get(), rows.kept);
  {
    const Change change(*this);
    const bool may_stop = listener && listener->may_stop();
    HeardSource source(*rows.source, interrupt,
                       rows_of_a_piece(learner_.rows_of_a_step(rows.source->rows()), may_stop));
    std::vector<Observer*> observers;
    if (listener) {
      listener->begin(interrupt, source);
      observers.push_back(listener);
    }
    try {
      with_places_in_files(rows, [&] {
        learner_.fit(
            source, ThreadPool(threads), [&interrupt] { return interrupt.asked(); }, observers);
      });
    } catch (const Error&) {
      if (!interrupt.heard()) throw;  // else too few rows came to say anything
    }
  }
  interrupt.raise();
}

void SharedLearner::learn(Rows& rows, Listener* listener) {
  refuse_other_widths(rows);
  Interrupt interrupt;
  const Held held(turns_.own.get(), rows.kept);
  {
    const Change change(*this);
    HeardSource source(*rows.source, interrupt);
    if (listener) listener->begin(interrupt, source);
    const Relay::Turn told(relay_, listener, learner_);
    const bool may_stop = listener && listener->may_stop();
    std::optional<Learner> before;
    try {
      with_places_in_files(rows, [&] {
        for (const Block& block : source) {
          const std::size_t piece = rows_of_a_piece(learner_.rows_of_a_portion(), may_stop);
          if (!before || rows.once) before = learner_;
          for (std::size_t t = 0; t < block.rows && !interrupt.asked(); t += piece)
            learner_.learn(block.slice(t, std::min(piece, block.rows - t)),
                           [&interrupt] { return interrupt.asked(); });
          if (interrupt.asked()) break;
        }
      });
    } catch (...) {
      if (before) learner_ = std::move(*before);
      throw;
    }
  }
  interrupt.raise();
}

/// Between pieces, whole steps of about so many rows, Ctrl-C is heard; where a listener may end the run they are single steps. How
/// rows are cut changes no bit.
std::size_t SharedLearner::rows_of_a_piece(std::size_t step, bool may_stop) {
  constexpr std::size_t some = 1024;
  return may_stop || step == 0 ? step : (some + step - 1) / step * step;
}

bool SharedLearner::learn_array(const py::object& given) {
  if (!py::isinstance<py::array>(given)) return false;
  if (learner_.schema().has_categories()) return false;  // cells are no numbers of levels yet
  const auto values = py::reinterpret_borrow<py::array>(given);
  if (values.ndim() != 2 || values.shape(0) == 0 || !is_plain(values) ||
      static_cast<std::size_t>(values.shape(1)) != learner_.schema().width())
    return false;
  constexpr py::ssize_t few = 4096;  // more may take long enough for Ctrl-C
  if (values.shape(0) > few || searches_with(values.shape(0))) return false;
  const Block block = block_of(values, nullptr);
  const Held held(turns_.own.get(), values);
  const Change change(*this);
  learner_.learn(block);
  return true;
}

/// So many rows may pay for so much of the search for starts that it takes long enough for Ctrl-C.
bool SharedLearner::searches_with(py::ssize_t rows) const {
  constexpr py::ssize_t few = 64;
  return rows > few && static_cast<std::uint64_t>(rows) >= until_search_;
}

Parameters SharedLearner::parameters_from(const std::vector<NamedArray>& arrays) const {
  Parameters theta(learner_.fitted().plan.parameters);
  fill_from(arrays, theta);
  calibrate(*learner_.fitted().model, dense_block(nullptr, 0, learner_.schema().width()), theta);
  return theta;
}

/// Python compares too, but another thread may have begun a fit with other columns.
void SharedLearner::refuse_other_widths(const Rows& rows) const {
  const std::size_t given = rows.source->schema().width();
  const std::size_t width = learner_.schema().width();
  if (given != width)
    throw Error("rows of " + std::to_string(given) + " columns for a model of " +
                std::to_string(width));
}

py::bytes SharedLearner::state() {
  std::ostringstream out;
  {
    const py::gil_scoped_release release;
    const std::lock_guard turn(turns_);
    learner_.save().write(out);
  }
  return py::bytes(out.str());
}

void SharedLearner::set_state(const std::string& bytes) {
  const Change change(*this);
  std::istringstream in(bytes);
  learner_.load(Archive::read(in));
}

}  // namespace thalweg::python
