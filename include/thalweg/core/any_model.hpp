// A model whose type is forgotten: templates run inside a block, one virtual call is paid for each block.
#pragma once

#include <thalweg/core/model.hpp>
#include <thalweg/export.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace thalweg {

/// The contract of core/model.hpp as virtual functions, the optional parts filled in.
class THALWEG_API AnyModel {
 public:
  virtual ~AnyModel();
  virtual Plan plan(const Schema& schema) const = 0;
  virtual Parameters start(const Block& buffer, Random& random) const = 0;
  virtual double expect(const Parameters& theta, const Block& block, Sums& sums) const = 0;
  virtual void maximise(const Statistic& S, const Context& context, Parameters& theta) const = 0;
  virtual void explain(const Parameters& theta, const Block& block, Explanation& out) const = 0;
  virtual void draw(const Parameters& theta, const Block& given, Random& random,
                    double* row) const = 0;
  virtual double absorb(Parameters& theta, const Block& block, double rate, Statistic& S,
                        const Context& context, Carry& carry) const = 0;
  virtual void calibrate(const Block& buffer, Parameters& theta) const = 0;
  virtual void check(const Schema& schema, const Block& block) const = 0;
  virtual double change(const Parameters& before, const Parameters& after) const = 0;
  virtual double score(const Parameters& theta, const Statistic& S) const = 0;
  virtual Statistic prior(const Block& buffer, const Parameters& theta) const = 0;
  virtual void regauge(const Parameters& from, const Parameters& to, Statistic& S) const = 0;
  virtual std::size_t revive(const Block& buffer, const Context& context,
                             Parameters& theta) const = 0;
  virtual bool rearrange(const Block& buffer, const Context& context, std::size_t attempt,
                         Random& random, Parameters& theta) const = 0;
  virtual void relabel(const std::vector<std::size_t>& order, Parameters& theta,
                       Statistic& S) const = 0;
  virtual void align(Parameters& theta, Statistic& S) const = 0;
  virtual std::size_t distinct_starts(std::size_t wanted) const = 0;
  /// A model that is not exact refuses these three.
  virtual std::shared_ptr<const Layout> observed(const Schema& schema) const = 0;
  virtual void tally(const Parameters& theta, const Block& block, Sums& sums) const = 0;
  virtual double solve(const Statistic& moments, const Context& context, Parameters& theta,
                       Statistic& S) const = 0;
  virtual bool valid(const Parameters& theta, const Statistic& S) const = 0;
  virtual bool gathers() const = 0;
  virtual void gather(const Parameters& theta, const Block& block, const double* posterior,
                      Sums& sums) const = 0;
  virtual bool has_tangent() const = 0;
  virtual void moments(const Parameters& theta, Statistic& S) const = 0;
  virtual void tangent(const Parameters& theta, const Statistic& dS, const Context& context,
                       Parameters& dtheta) const = 0;
};

template <Model M>
class Erased final : public AnyModel {
 public:
  explicit Erased(M model) : model_(std::move(model)) {}

  Plan plan(const Schema& schema) const override { return model_.plan(schema); }
  Parameters start(const Block& buffer, Random& random) const override {
    return model_.start(buffer, random);
  }
  double expect(const Parameters& theta, const Block& block, Sums& sums) const override {
    return model_.expect(theta, block, sums);
  }
  void maximise(const Statistic& S, const Context& context, Parameters& theta) const override {
    model_.maximise(S, context, theta);
  }
  void explain(const Parameters& theta, const Block& block, Explanation& out) const override {
    model_.explain(theta, block, out);
  }
  void draw(const Parameters& theta, const Block& given, Random& random,
            double* row) const override {
    model_.draw(theta, given, random, row);
  }
  double absorb(Parameters& theta, const Block& block, double rate, Statistic& S,
                const Context& context, Carry& carry) const override {
    return thalweg::absorb(model_, theta, block, rate, S, context, carry);
  }
  void calibrate(const Block& buffer, Parameters& theta) const override {
    thalweg::calibrate(model_, buffer, theta);
  }
  void check(const Schema& schema, const Block& block) const override {
    thalweg::check(model_, schema, block);
  }
  double change(const Parameters& before, const Parameters& after) const override {
    return thalweg::change(model_, before, after);
  }
  double score(const Parameters& theta, const Statistic& S) const override {
    return thalweg::score(model_, theta, S);
  }
  Statistic prior(const Block& buffer, const Parameters& theta) const override {
    return thalweg::prior(model_, buffer, theta);
  }
  void regauge(const Parameters& from, const Parameters& to, Statistic& S) const override {
    thalweg::regauge(model_, from, to, S);
  }
  std::size_t revive(const Block& buffer, const Context& context,
                     Parameters& theta) const override {
    return thalweg::revive(model_, buffer, context, theta);
  }
  bool rearrange(const Block& buffer, const Context& context, std::size_t attempt, Random& random,
                 Parameters& theta) const override {
    return thalweg::rearrange(model_, buffer, context, attempt, random, theta);
  }
  void relabel(const std::vector<std::size_t>& order, Parameters& theta,
               Statistic& S) const override {
    thalweg::relabel(model_, order, theta, S);
  }
  void align(Parameters& theta, Statistic& S) const override { thalweg::align(model_, theta, S); }
  std::size_t distinct_starts(std::size_t wanted) const override {
    return thalweg::distinct_starts(model_, wanted);
  }
  std::shared_ptr<const Layout> observed(const Schema& schema) const override {
    if constexpr (ExactModel<M>) {
      return model_.observed(schema);
    } else {
      refuse_exact();
    }
  }
  void tally(const Parameters& theta, const Block& block, Sums& sums) const override {
    if constexpr (ExactModel<M>) {
      model_.tally(theta, block, sums);
    } else {
      refuse_exact();
    }
  }
  double solve(const Statistic& moments, const Context& context, Parameters& theta,
               Statistic& S) const override {
    if constexpr (ExactModel<M>) {
      return model_.solve(moments, context, theta, S);
    } else {
      refuse_exact();
    }
  }
  bool valid(const Parameters& theta, const Statistic& S) const override {
    return thalweg::valid(model_, theta, S);
  }
  bool gathers() const override { return thalweg::gathers(model_); }
  void gather(const Parameters& theta, const Block& block, const double* posterior,
              Sums& sums) const override {
    thalweg::gather(model_, theta, block, posterior, sums);
  }
  bool has_tangent() const override { return thalweg::has_tangent(model_); }
  void moments(const Parameters& theta, Statistic& S) const override {
    thalweg::moments(model_, theta, S);
  }
  void tangent(const Parameters& theta, const Statistic& dS, const Context& context,
               Parameters& dtheta) const override {
    thalweg::tangent(model_, theta, dS, context, dtheta);
  }

 private:
  M model_;
};

/// Forgets the type of a model.
template <Model M>
std::shared_ptr<const AnyModel> erase(M model) {
  return std::make_shared<Erased<M>>(std::move(model));
}

}  // namespace thalweg
