// A model whose methods are in Python.
#include "own_model.hpp"

#include "arrays.hpp"
#include "core/domain.hpp"
#include "interrupt.hpp"

#include <pybind11/stl.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <tuple>
#include <utility>

namespace thalweg::python {
namespace {

using Vector = py::array_t<double, py::array::c_style>;

/// Whose methods this thread is in; a model may fit another one.
thread_local std::vector<const OwnCalls*> entered;

class Visit {
 public:
  explicit Visit(const OwnCalls* calls) { entered.push_back(calls); }
  Visit(const Visit&) = delete;
  Visit& operator=(const Visit&) = delete;
  ~Visit() { entered.pop_back(); }
};

Domain domain_of(const std::string& text) {
  if (text == "simplex") return Domain::simplex;
  if (text == "positive") return Domain::positive;
  if (text == "covariance") return Domain::covariance;
  return Domain::real;
}

std::vector<Piece> pieces_of(const py::object& given) {
  std::vector<Piece> pieces;
  for (const py::handle piece : given) {
    const auto [name, shape, domain] =
        piece.cast<std::tuple<std::string, std::vector<std::size_t>, std::string>>();
    pieces.push_back({.name = name, .shape = shape, .domain = domain_of(domain)});
  }
  return pieces;
}

void lock(py::array& array) {
  py::detail::array_proxy(array.ptr())->flags &= ~py::detail::npy_api::NPY_ARRAY_WRITEABLE_;
}

void check_not_infinite(const Schema& schema, const Block& block) {
  for (std::size_t t = 0; t < block.rows; ++t)
    for (std::size_t j = 0; j < block.columns; ++j)
      if (std::isinf(block.row(t)[j]))
        throw RowError(block.number(t), "column \"" + schema.columns[j] + "\": infinite value");
}

void copy_into(const Vector& from, Named& to) { std::copy_n(from.data(), to.size(), to.data()); }

}  // namespace

OwnCalls::OwnCalls(py::object calls)
    : takes_missing(calls.attr("takes_missing").cast<bool>()),
      has_check(calls.attr("has_check").cast<bool>()),
      has_moments(calls.attr("has_moments").cast<bool>()),
      calls_(std::move(calls)),
      name_(calls_.attr("name").cast<std::string>()),
      plan_(pieces_of(calls_.attr("statistic")), pieces_of(calls_.attr("parameters")), 0,
            calls_.attr("min_rows").cast<std::size_t>()) {
  for (const Piece& piece : plan_.parameters->pieces())
    plan_.free_parameters += piece.free_entries();
  if (const py::object given = calls_.attr("free_parameters"); !given.is_none())
    plan_.free_parameters = given.cast<std::size_t>();
}

OwnCalls::~OwnCalls() {
  const py::gil_scoped_acquire gil;
  calls_ = py::object();
  held_.clear();
}

bool OwnCalls::inside() const {
  return std::find(entered.begin(), entered.end(), this) != entered.end();
}

template <class Arguments, class Use>
auto OwnCalls::call(const char* method, const Arguments& arguments, const Use& use) const {
  const py::gil_scoped_acquire gil;
  const Visit visit(this);
  Interrupt* const interrupt = Interrupt::current();
  if (interrupt) interrupt->raise_if_overdue();
  const auto once = [&] { return use(calls_.attr(method)(*arguments())); };
  try {
    return once();
  } catch (py::error_already_set& error) {
    if (!interrupt || interrupt->heard() || !error.matches(PyExc_KeyboardInterrupt)) throw;
    interrupt->hear(error);
  }
  return once();
}

py::array OwnCalls::window(const double* values, std::vector<py::ssize_t> shape,
                           std::vector<py::ssize_t> strides) const {
  const auto at = reinterpret_cast<std::uintptr_t>(values);
  py::object owner;
  for (const py::array& array : held_) {
    const auto begin = reinterpret_cast<std::uintptr_t>(array.data());
    const py::ssize_t length =
        (array.shape(0) - 1) * array.strides(0) +
        (array.ndim() == 2 ? array.shape(1) : 1) * py::ssize_t{sizeof(double)};
    if (at >= begin && at < begin + static_cast<std::uintptr_t>(length)) owner = array;
  }
  // Without an owner the constructor copies.
  py::array made = py::array(py::dtype::of<double>(), std::move(shape), std::move(strides), values,
                             owner ? owner : py::handle());
  lock(made);
  return made;
}

py::array OwnCalls::rows(const Block& block) const {
  constexpr auto one = static_cast<py::ssize_t>(sizeof(double));
  return window(block.values,
                {static_cast<py::ssize_t>(block.rows), static_cast<py::ssize_t>(block.columns)},
                {static_cast<py::ssize_t>(block.stride) * one, one});
}

py::object OwnCalls::weights(const Block& block) const {
  if (!block.side.weight) return py::none();
  return window(block.side.weight, {static_cast<py::ssize_t>(block.rows)},
                {static_cast<py::ssize_t>(sizeof(double))});
}

Held::Held(OwnCalls* calls, const py::object& arrays) : calls_(calls) {
  if (!calls_ || !arrays || arrays.is_none()) return;
  const auto hold = [this](py::handle object) {
    if (py::isinstance<py::array>(object)) arrays_.push_back(py::cast<py::array>(object));
  };
  hold(arrays);
  if (py::isinstance<py::tuple>(arrays))
    for (const py::handle one : arrays) hold(one);
  calls_->held_.insert(calls_->held_.end(), arrays_.begin(), arrays_.end());
}

Held::~Held() {
  for (const py::array& array : arrays_)
    calls_->held_.erase(std::find_if(calls_->held_.begin(), calls_->held_.end(),
                                     [&array](const py::array& held) { return held.is(array); }));
}

Plan OwnModel::plan(const Schema& /*schema*/) const { return calls_->plan(); }

Parameters OwnModel::start(const Plan& /*plan*/, const Block& buffer, Random& random) const {
  Parameters theta(calls_->plan().parameters);
  const std::vector<std::uint64_t> seed = {random(), random()};
  calls_->call(
      "start", [&] { return py::make_tuple(calls_->rows(buffer), seed); },
      [&](const Vector& found) { copy_into(found, theta); });
  require_domain("start", theta);
  return theta;
}

double OwnModel::expect(const Parameters& theta, const Block& block, Sums& sums) const {
  if (block.rows == 0) return 0;
  return calls_->call(
      "expect",
      [&] {
        return py::make_tuple(arrays_of_pieces(theta), calls_->rows(block), calls_->weights(block));
      },
      [&](const py::tuple& found) {
        const auto gained = found[0].cast<Vector>();
        for (std::size_t i = 0; i < sums.size(); ++i) sums.data()[i] += gained.data()[i];
        sums.weight += block.total_weight();
        return found[1].cast<double>();
      });
}

void OwnModel::m_step(const Statistic& S, const Context& /*context*/, Parameters& theta) const {
  Parameters next(theta.shared_layout());
  calls_->call(
      "maximise", [&] { return py::make_tuple(arrays_of_pieces(S), arrays_of_pieces(theta)); },
      [&](const Vector& found) { copy_into(found, next); });
  require_domain("maximise", next);
  theta = std::move(next);
}

void OwnModel::require_domain(const char* method, const Parameters& theta) const {
  for (const Piece& piece : theta.layout().pieces()) {
    const auto values = theta.values().subspan(piece.offset, piece.size());
    if (const std::string fault = domain_fault(piece, values); !fault.empty())
      throw ModelError(calls_->name() + "." + method + ": " + fault);
  }
}

void OwnModel::explain(const Parameters& theta, const Block& block, Explanation& out) const {
  out = {};
  if (block.rows == 0) return;
  calls_->call(
      "explain", [&] { return py::make_tuple(arrays_of_pieces(theta), calls_->rows(block)); },
      [&](const py::tuple& found) {
        const auto log_density = found[0].cast<Vector>();
        out.log_density.assign(log_density.data(), log_density.data() + log_density.size());
        if (found[1].is_none()) return;
        const auto posterior = found[1].cast<Vector>();
        out.classes = static_cast<std::size_t>(posterior.shape(1));
        out.posterior.assign(posterior.data(), posterior.data() + posterior.size());
      });
}

void OwnModel::draw(const Parameters& theta, const Block& /*given*/, Carry&, Random& random,
                    double* row) const {
  const std::vector<std::uint64_t> seed = {random(), random()};
  calls_->call(
      "draw", [&] { return py::make_tuple(arrays_of_pieces(theta), 1, seed); },
      [&](const Vector& found) { std::copy_n(found.data(), found.size(), row); });
}

void OwnModel::check(const Schema& schema, const Block& block) const {
  if (calls_->takes_missing) {
    check_not_infinite(schema, block);
  } else {
    check_finite(schema, block);
  }
  if (!calls_->has_check || block.rows == 0) return;
  calls_->call(
      "check", [&] { return py::make_tuple(calls_->rows(block)); }, [](const py::object&) {});
}

bool OwnModel::valid(const Parameters& theta, const Statistic& S) const {
  Parameters next(theta.shared_layout());
  const bool found = calls_->call(
      "attempt", [&] { return py::make_tuple(arrays_of_pieces(S), arrays_of_pieces(theta)); },
      [&](const py::object& answer) {
        if (answer.is_none()) return false;
        copy_into(answer.cast<Vector>(), next);
        return true;
      });
  return found && in_domain(next);
}

void OwnModelWithMoments::moments(const Parameters& theta, Statistic& S) const {
  calls().call(
      "moments", [&] { return py::make_tuple(arrays_of_pieces(theta)); },
      [&](const Vector& found) { copy_into(found, S); });
}

void OwnModelWithMoments::tangent(const Parameters& theta, const Statistic& dS,
                                  const Context& /*context*/, Parameters& dtheta) const {
  calls().call(
      "tangent", [&] { return py::make_tuple(arrays_of_pieces(theta), arrays_of_pieces(dS)); },
      [&](const Vector& found) { copy_into(found, dtheta); });
}

std::shared_ptr<const Model> own_model(const std::shared_ptr<const OwnCalls>& calls) {
  if (calls->has_moments) return std::make_shared<const OwnModelWithMoments>(calls);
  return std::make_shared<const OwnModel>(calls);
}

}  // namespace thalweg::python
