// A model that a user wrote in Python, behind the contract of core/model.hpp: every call takes the interpreter's lock.
#pragma once

#include <thalweg/core/capabilities.hpp>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace thalweg::python {

namespace py = pybind11;

/// What a model of the user's own did wrong: which method, what was expected, what came.
class ModelError : public Error {
 public:
  using Error::Error;
};

/// The Python half, thalweg._calls.Calls, which checks what the user's methods give; and what is known of it here.
class OwnCalls {
 public:
  explicit OwnCalls(py::object calls);
  OwnCalls(const OwnCalls&) = delete;
  OwnCalls& operator=(const OwnCalls&) = delete;
  ~OwnCalls();

  const Plan& plan() const { return plan_; }
  const std::string& name() const { return name_; }

  /// Whether this thread is in a method of the user at this moment.
  bool inside() const;

  /// method(arguments()...) of the Python half, handed to use(result), all with the lock. A Ctrl-C that the method hears is kept
  /// for the fit, which ends where it can, and the call is made once more.
  template <class Arguments, class Use>
  auto call(const char* method, const Arguments& arguments, const Use& use) const;

  /// Rows where they lie, if they are in an array that is held; else a copy. A user may keep what he was given.
  py::array rows(const Block& block) const;
  py::object weights(const Block& block) const;  // None: every row counts once

  bool takes_missing = false;
  bool has_check = false;
  bool has_moments = false;

 private:
  friend class Held;
  py::array window(const double* values, std::vector<py::ssize_t> shape,
                   std::vector<py::ssize_t> strides) const;

  py::object calls_;
  std::string name_;
  Plan plan_;
  std::vector<py::array> held_;
};

/// An array, or a tuple of some, whose memory is shown to the user while this lives; made and gone with the lock. No calls: nothing
/// to do.
class Held {
 public:
  Held(OwnCalls* calls, const py::object& arrays);
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held();

 private:
  OwnCalls* calls_;
  std::vector<py::array> arrays_;
};

class OwnModel : public PlainModel, public Bounded {
 public:
  explicit OwnModel(std::shared_ptr<const OwnCalls> own) : calls_(std::move(own)) {}

  Plan plan(const Schema& schema) const override;
  Parameters start(const Plan& plan, const Block& buffer, Random& random) const override;
  double expect(const Parameters& theta, const Block& block, Sums& sums) const override;
  void explain(const Parameters& theta, const Block& block, Explanation& out) const override;
  void draw(const Parameters& theta, const Block& given, Carry& carry, Random& random,
            double* row) const override;
  void check(const Schema& schema, const Block& block) const override;

  /// By trial: an S that the M-step cannot take, or from which it leaves its domain, is none.
  bool valid(const Parameters& theta, const Statistic& S) const override;

 protected:
  const OwnCalls& calls() const { return *calls_; }

 private:
  void m_step(const Statistic& S, const Context& context, Parameters& theta) const override;

  /// The parameters that a method gave lie where its layout says; else a ModelError.
  void require_domain(const char* method, const Parameters& theta) const;

  std::shared_ptr<const OwnCalls> calls_;
};

/// One that has moments: it joins the gradient recursion.
class OwnModelWithMoments final : public OwnModel, public Tangent {
 public:
  using OwnModel::OwnModel;
  void moments(const Parameters& theta, Statistic& S) const override;
  void tangent(const Parameters& theta, const Statistic& dS, const Context& context,
               Parameters& dtheta) const override;
};

std::shared_ptr<const Model> own_model(const std::shared_ptr<const OwnCalls>& calls);

}  // namespace thalweg::python
