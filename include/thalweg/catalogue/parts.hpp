// Marginals and conditionals: the model of some columns alone, or of the others where some have values.
#pragma once

#include <thalweg/catalogue/fitted.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace thalweg {

/// The other columns where some are given. What does not depend on their values is worked out once; several threads may ask at once.
class THALWEG_API Conditional {
 public:
  Conditional(const Conditional&) = delete;
  Conditional& operator=(const Conditional&) = delete;
  virtual ~Conditional();

  /// The model of the given columns, which checks and explains their values; it need not be one that could be fitted.
  const Fitted& given() const { return given_; }
  const std::vector<std::size_t>& others() const { return others_; }

  /// The model of the others where the given columns have these values. No statistics, no training.
  Fitted at(std::span<const double> values) const;

  /// What is told of the others: mean and standard deviation of a number ("width", "sd_width"), the probability of every level of a
  /// categorical column ("colour=red").
  std::vector<std::string> names() const;
  /// A number for each of the names, where given() found `seen` of a row with these values, its row t.
  virtual void tell(std::span<const double> values, const Explanation& seen, std::size_t t,
                    std::span<double> out) const = 0;

 protected:
  Conditional(const Fitted& whole, const std::vector<std::size_t>& given, Fitted of_given);

  /// The same as `at` where given() found `seen` of the one row.
  virtual Fitted rest(std::span<const double> values, const Explanation& seen) const = 0;

 private:
  Fitted given_;
  std::vector<std::size_t> others_;
  Schema schema_;  // of the others
};

/// What a model brings that has marginals and conditionals, whole or not at all. Columns are there, and each once.
class THALWEG_API Parts {
 public:
  virtual ~Parts();
  /// Picks the columns from all parameters, unless a model knows better.
  virtual Fitted marginal(const Fitted& whole, const std::vector<std::size_t>& columns) const;
  virtual std::unique_ptr<const Conditional> condition(
      const Fitted& whole, const std::vector<std::size_t>& given) const = 0;
};

/// Of these columns alone, in this order. No statistics, no training.
THALWEG_API Fitted marginal(const Fitted& fitted, const std::vector<std::size_t>& columns);

/// Of the other columns where those given have values, once for many of them.
THALWEG_API std::unique_ptr<const Conditional> condition_on(const Fitted& fitted,
                                                            const std::vector<std::size_t>& given);

/// … where they have these. A model that takes missing cells takes NaN for what is not known.
THALWEG_API Fitted condition(const Fitted& fitted, const std::vector<std::size_t>& given,
                             std::span<const double> values);

/// Column numbers by name; an unknown one is an Error that suggests the nearest.
THALWEG_API std::vector<std::size_t> columns_named(const Fitted& fitted,
                                                   const std::vector<std::string>& names);

}  // namespace thalweg
