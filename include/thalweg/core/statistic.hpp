// The three vectors of EM: sums while rows are read, their mean S, and the parameters theta-bar(S).
#pragma once

#include <thalweg/core/layout.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace thalweg {

/// One contiguous vector whose pieces have names and shapes.
class THALWEG_API Named {
 public:
  Named() = default;
  explicit Named(std::shared_ptr<const Layout> layout)
      : layout_(std::move(layout)), values_(layout_->size(), 0.0) {}

  const Layout& layout() const { return *layout_; }
  const std::shared_ptr<const Layout>& shared_layout() const { return layout_; }

  std::size_t size() const { return values_.size(); }
  double* data() { return values_.data(); }
  const double* data() const { return values_.data(); }
  /// All of them. A temporary gives a vector, which outlives it, here and below.
  std::span<double> values() & { return values_; }
  std::span<const double> values() const& { return values_; }
  std::vector<double> values() && { return std::move(values_); }

  /// The piece of that name; naming one that does not exist is an Error.
  std::span<double> operator[](std::string_view name) &;
  std::span<const double> operator[](std::string_view name) const&;
  std::vector<double> operator[](std::string_view name) &&;

  bool finite() const;

 private:
  std::shared_ptr<const Layout> layout_;
  std::vector<double> values_;
};

/// theta.
class THALWEG_API Parameters : public Named {
 public:
  using Named::Named;
};

/// What `expect` adds to: sum_t w_t E[s(X_t,Y_t) | Y_t] and sum_t w_t.
class THALWEG_API Sums : public Named {
 public:
  using Named::Named;
  double weight = 0;

  void clear();
  void add(const Sums& other);
};

/// The same in mean form: the S of the textbook, and the weight of the rows behind it.
class THALWEG_API Statistic : public Named {
 public:
  using Named::Named;
  double weight = 0;
};

/// into += rate (from - into): the one update of online steps, mini-batches, merging
/// (rate n2/(n1+n2)), forgetting and averaging. Weights add.
THALWEG_API void blend(Statistic& into, const Statistic& from, double rate);
THALWEG_API void blend(Statistic& into, const Sums& from, double rate);  // from's mean
THALWEG_API void blend(Parameters& into, const Parameters& from, double rate);

/// The mean form of sums.
THALWEG_API Statistic mean(const Sums& sums);

}  // namespace thalweg
