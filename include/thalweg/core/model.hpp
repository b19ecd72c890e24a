// The contract of a model: seven functions, and capabilities that a model has whole or not at all. Estimators know nothing else.
//
//   plan(schema)                    names and shapes of statistic and parameters
//   start(plan, buffer, random)     a first guess from the first rows
//   prepare(theta)                  once for each theta; what comes back has
//     expect(block, sums, work)       sums gain sum_t w_t E_theta[s(X_t,Y_t) | Y_t] and sum_t w_t; gives sum_t w_t log f_theta(Y_t)
//     explain(block, out)             posterior, log density, scores of every row
//   m_step(S, context, theta)       theta = theta-bar(S); called by maximise() alone, which knows priors
//   draw(theta, given, carry, random, row)   one row of simulated data, and what the next one of its unit needs of it
//   check(schema, block)            refuses rows outside the domain; by default every cell must be a finite number
//
// What else a model can do stands in core/capabilities.hpp. What follows from names, axes and roles of the pieces (relabelling, the
// size of a change, free parameters) is written once in core/layout.hpp and core/change.hpp, not by models.
#pragma once

#include <thalweg/core/context.hpp>
#include <thalweg/core/error.hpp>
#include <thalweg/core/random.hpp>
#include <thalweg/core/statistic.hpp>
#include <thalweg/data/block.hpp>
#include <thalweg/data/schema.hpp>
#include <thalweg/data/units.hpp>
#include <thalweg/export.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace thalweg {

/// What a model looks like on data with given columns.
struct Plan {
  std::shared_ptr<const Layout> statistic;
  std::shared_ptr<const Layout> parameters;
  std::size_t free_parameters = 0;
  std::size_t rows_needed = 1;  // rows before an M-step exists
  std::size_t start_rows = 0;   // rows on which starts are found; 0: some for each free parameter
  std::size_t starts = 0;       // how many different starts there are; 0: any number
  Unit unit = Unit::row;        // what is independent, and never cut

  Plan() = default;
  Plan(std::vector<Piece> statistic_pieces, std::vector<Piece> parameter_pieces,
       std::size_t free_count, std::size_t needed, std::size_t rows_of_starts = 0)
      : statistic(std::make_shared<const Layout>(std::move(statistic_pieces))),
        parameters(std::make_shared<const Layout>(std::move(parameter_pieces))),
        free_parameters(free_count),
        rows_needed(needed),
        start_rows(rows_of_starts) {}
};

/// What `predict` shows of every row.
struct Explanation {
  std::size_t classes = 0;          // K, 0 for models without components
  std::vector<double> log_density;  // one a row: log f_theta(Y_t)
  std::vector<double> posterior;    // rows × K: P_theta(X_t = k | Y_t)
  std::size_t factors = 0;          // r, 0 for models without factors
  std::vector<double> scores = {};  // rows × r: E_theta[Z_t | Y_t]
};

/// What an E-step works with beside the rows. Chunks for it is kernels::Workspace, which nests.
struct Work {
  Events* events = nullptr;       // where repairs of the E-step are counted
  double* log_density = nullptr;  // gets log f of every row, where somebody asks for it
  // What is drawn is keyed by seed, row number and visit: neither the cut of the input nor the number of threads changes it.
  std::uint64_t seed = 0;
  std::uint64_t visit = 0;
};

/// A model at one theta: forms, factors and logarithms are worked out. Several threads may use it at once. Neither the model nor
/// the parameters that it was prepared from may change or go while it lives.
class THALWEG_API Prepared {
 public:
  Prepared() = default;
  Prepared(const Prepared&) = delete;
  Prepared& operator=(const Prepared&) = delete;
  virtual ~Prepared();
  virtual double expect(const Block& block, Sums& sums, Work& work) const = 0;
  virtual void explain(const Block& block, Explanation& out) const = 0;
};

class THALWEG_API Model {
 public:
  virtual ~Model();
  virtual Plan plan(const Schema& schema) const = 0;
  virtual Parameters start(const Plan& plan, const Block& buffer, Random& random) const = 0;
  virtual std::unique_ptr<const Prepared> prepare(const Parameters& theta) const = 0;
  /// A carry without state begins a unit.
  virtual void draw(const Parameters& theta, const Block& given, Carry& carry, Random& random,
                    double* row) const = 0;
  virtual void check(const Schema& schema, const Block& block) const;

 protected:
  Model() = default;
  Model(const Model&) = default;
  Model& operator=(const Model&) = default;

  /// theta comes in as warm start.
  virtual void m_step(const Statistic& S, const Context& context, Parameters& theta) const = 0;

  friend THALWEG_API void maximise(const Model& model, const Statistic& S, const Context& context,
                                   Parameters& theta);
};

/// theta = theta-bar(S), or with a prior theta-bar((n S + n_0 S_0) / (n + n_0)): the maximum a posteriori.
THALWEG_API void maximise(const Model& model, const Statistic& S, const Context& context,
                          Parameters& theta);

/// The two halves of a pass at one theta, for callers who have but one block: log-likelihood, and what every row shows.
THALWEG_API double expect(const Model& model, const Parameters& theta, const Block& block,
                          Sums& sums);
THALWEG_API void explain(const Model& model, const Parameters& theta, const Block& block,
                         Explanation& out);

/// A row that stands for itself: the first of a unit, with nothing given.
THALWEG_API void draw(const Model& model, const Parameters& theta, Random& random, double* row);

/// A model that has nothing to work out beforehand says what to expect at any theta.
class THALWEG_API PlainModel : public Model {
 public:
  virtual double expect(const Parameters& theta, const Block& block, Sums& sums) const = 0;
  virtual void explain(const Parameters& theta, const Block& block, Explanation& out) const = 0;
  std::unique_ptr<const Prepared> prepare(const Parameters& theta) const final;
};

/// A model that is shared: what estimators hold. Made of a model itself, which is copied, or of a shared pointer to one.
class ModelHandle {
 public:
  template <std::derived_from<Model> M>
  ModelHandle(const M& model) : model_(std::make_shared<const M>(model)) {
    require_contract<M>();
  }
  template <std::derived_from<Model> M>
  ModelHandle(std::shared_ptr<M> model) : model_(std::move(model)) {
    require_contract<M>();
  }

  const Model& operator*() const { return *model_; }
  const Model* operator->() const { return model_.get(); }
  const std::shared_ptr<const Model>& shared() const { return model_; }

 private:
  /// A `check` of another signature would hide the contract's and never be called.
  template <class M>
  static constexpr void require_contract() {
    static_assert(
        requires(const M& model, const Schema& schema, const Block& block) {
          model.check(schema, block);
        },
        "a model's check takes (const Schema&, const Block&)");
  }

  std::shared_ptr<const Model> model_;
};

/// Every cell is a finite number: what most models ask of a block.
THALWEG_API void check_finite(const Schema& schema, const Block& block);

}  // namespace thalweg
