// A model of the catalogue that learns: what stands behind one estimator in Python. Knows nothing of Python itself.
#pragma once

#include <thalweg/catalogue/fit_job.hpp>
#include <thalweg/catalogue/fitted.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace thalweg::python {

/// How an estimator learns.
struct Setting {
  FitOptions fit = {};   // fit.online is also what `learn` does
  bool careful = false;  // learning may fail half-way: then a portion is as if it had not come
};

/// What is known of a fit so far beside its training record.
struct Report {
  std::string why = {};
  bool stopped = false;          // early, on request
  std::uint64_t iterations = 0;  // of batch EM; M-steps of an online fit
  std::vector<std::pair<std::string, std::string>> warnings =
      {};  // of a fit: kind and text; not kept with it
};

class Learner {
 public:
  Learner(const Entry& entry, const ModelOptions& options, const Schema& schema, Setting setting);
  /// A model that is in no catalogue.
  Learner(std::shared_ptr<const Model> model, const Schema& schema, Setting setting);

  const Fitted& fitted() const { return fitted_; }
  const Schema& schema() const { return fitted_.schema; }

  /// Where the next fit, or the first rows that are learned, begin; batch EM tries all that were told. `bound`: see BatchOptions.
  void begin(Parameters theta, double bound) {
    given_.push_back(std::move(theta));
    setting_.fit.batch.bound = bound;
  }
  /// Some pieces of where it begins; the rest is found.
  void begin(std::vector<NamedArray> pieces) { pieces_ = std::move(pieces); }

  /// These parameters, as they are.
  void place(Parameters theta);

  /// The pool is let go at the end: an estimator that rests holds no threads.
  void fit(Source& source, const ThreadPool& pool, std::function<bool()> stop,
           const std::vector<Observer*>& observers);

  /// More rows, online. After `fit` it goes on from there. `stop` is asked while starts are searched.
  void learn(const Block& block, const std::function<bool()>& stop = {});
  void watch(Observer& observer);

  /// Rows of an online step of `fit`, or of `learn`; 0 where a fit takes no such steps.
  std::size_t rows_of_a_step(std::optional<std::uint64_t> length) const;
  std::size_t rows_of_a_portion() const;

  bool ready() const { return placed_ || (online_ && online_->has_model()); }
  std::uint64_t rows_until_ready() const;
  /// The model is a coarse one of the first rows: starts are not found yet.
  bool provisional() const { return online_ && online_->provisional(); }
  std::uint64_t rows() const { return rows_; }

  /// Rows before the search for starts, 0 in the middle of it; the largest number where none is to come.
  std::uint64_t rows_until_search() const {
    if (online_ ? online_->started() : placed_) return ~std::uint64_t{0};
    return online_ ? online_->rows_until_start() : 0;
  }

  /// Brings fitted() and report() up to what was learned.
  void refresh();
  const Report& report() const { return report_; }

  /// From a model file: learning goes on where its statistics are.
  static Learner from_fitted(Fitted fitted, Setting setting);

  /// Everything, so that the future is the same bit for bit; options are not part of it.
  Archive save() const;
  void load(const Archive& archive);

 private:
  /// Of the fit that it goes on from, else as set.
  const Regularisation& regularisation_before() const {
    return shown_early_ ? setting_.fit.regularisation : fitted_.regularisation;
  }
  void conclude(const FitResult& result);
  Training no_training() const;
  void begin_online();
  Online make_online() const;
  std::function<void(Parameters&)> impose() const;

  Setting setting_;
  Fitted fitted_;
  Report report_;
  std::vector<Parameters> given_;
  std::vector<NamedArray> pieces_;
  std::optional<Online> online_;
  std::vector<Observer*> observers_;
  std::shared_ptr<std::function<bool()>> stop_ =
      std::make_shared<std::function<bool()>>();  // of the call under way; Online asks it
  bool placed_ = false;                           // parameters are those of a fit
  bool moved_ = false;                            // … and rows were learned since
  bool shown_early_ = false;                      // fitted_ is a provisional model
  std::uint64_t rows_ = 0;
  double weight_ = 0;
};

}  // namespace thalweg::python
