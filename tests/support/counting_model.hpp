// A mixture of Gaussians that counts the rows of its E-steps: what an estimator does is told by work, never by clocks.
#pragma once

#include <thalweg/core/capabilities.hpp>
#include <thalweg/families/gaussian.hpp>
#include <thalweg/models/mixture.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace counting {

using namespace thalweg;

struct Visits {
  std::atomic<std::uint64_t> e_steps =
      0;  // rows of E-steps, online steps and passes of revive and rearrange
  std::atomic<std::uint64_t> starts = 0;  // rows that first guesses were made of
};

/// Whatever it is asked, the mixture answers.
class Model final : public thalweg::Model,
                    public Gauge,
                    public Conjugate,
                    public Components,
                    public Bounded {
 public:
  Model(std::size_t components, std::shared_ptr<Visits> visits, Covariance covariance)
      : inner_(Gaussian(covariance), components), visits_(std::move(visits)) {}

  Plan plan(const Schema& schema) const override { return inner_.plan(schema); }
  Parameters start(const Plan& here, const Block& buffer, Random& random) const override {
    visits_->starts += buffer.rows;
    return inner_.start(here, buffer, random);
  }
  std::unique_ptr<const Prepared> prepare(const Parameters& theta) const override {
    return std::make_unique<const AtTheta>(inner_.prepare(theta), *visits_);
  }
  void draw(const Parameters& theta, const Block& given, Carry& carry, Random& random,
            double* row) const override {
    inner_.draw(theta, given, carry, random, row);
  }
  void calibrate(const Block& buffer, Parameters& theta) const override {
    inner_.calibrate(buffer, theta);
  }
  void regauge(const Parameters& from, const Parameters& to, Statistic& S) const override {
    inner_.regauge(from, to, S);
  }
  Statistic prior(const Block& buffer, const Parameters& theta) const override {
    return inner_.prior(buffer, theta);
  }
  double score(const Parameters& theta, const Statistic& S) const override {
    return inner_.score(theta, S);
  }
  std::size_t components() const override { return inner_.components(); }
  void gather(const Parameters& theta, const Block& block, const double* posterior,
              Sums& sums) const override {
    inner_.gather(theta, block, posterior, sums);
  }
  std::size_t revive(const Block& buffer, const Context& context,
                     Parameters& theta) const override {
    const std::size_t reborn = inner_.revive(buffer, context, theta);
    if (reborn > 0) visits_->e_steps += 2 * buffer.rows;
    return reborn;
  }
  bool rearrange(const Block& buffer, const Context& context, std::size_t attempt, Random& random,
                 Parameters& theta) const override {
    visits_->e_steps += 2 * buffer.rows;
    return inner_.rearrange(buffer, context, attempt, random, theta);
  }
  bool valid(const Parameters& theta, const Statistic& S) const override {
    return inner_.valid(theta, S);
  }

 private:
  class AtTheta final : public Prepared {
   public:
    AtTheta(std::unique_ptr<const Prepared> inner, Visits& visits)
        : inner_(std::move(inner)), visits_(visits) {}
    double expect(const Block& block, Sums& sums, Work& work) const override {
      visits_.e_steps += block.rows;
      return inner_->expect(block, sums, work);
    }
    void explain(const Block& block, Explanation& out) const override {
      inner_->explain(block, out);
    }

   private:
    std::unique_ptr<const Prepared> inner_;
    Visits& visits_;
  };

  void m_step(const Statistic& S, const Context& context, Parameters& theta) const override {
    Context here = context;
    here.prior = nullptr;  // it is in S
    maximise(inner_, S, here, theta);
  }

  Mixture<Gaussian> inner_;
  std::shared_ptr<Visits> visits_;
};

}  // namespace counting
