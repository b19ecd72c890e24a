// A model of sequences that writes down every piece of rows that it is shown: whoever feeds it may cut no unit and lose nothing.
#pragma once

#include "spy.hpp"
#include <thalweg/core/capabilities.hpp>

#include <map>
#include <memory>
#include <mutex>

namespace spy {

/// What all copies of a model were shown, by any thread.
class Log {
 public:
  void take(const thalweg::Block& piece) {
    const std::lock_guard lock(mutex_);
    pieces_.push_back(rows_of(piece));
  }
  std::vector<std::vector<Row>> pieces() const {
    const std::lock_guard lock(mutex_);
    return pieces_;
  }
  void clear() {
    const std::lock_guard lock(mutex_);
    pieces_.clear();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::vector<Row>> pieces_;
};

/// Rows around a level, log f = -(x - level)² / 2, with components that mean nothing, so that labels may come.
class Model final : public thalweg::Model, public thalweg::Components {
 public:
  using Block = thalweg::Block;
  using Parameters = thalweg::Parameters;
  using Sums = thalweg::Sums;

  explicit Model(std::shared_ptr<Log> log) : log_(std::move(log)) {}

  thalweg::Plan plan(const thalweg::Schema&) const override {
    thalweg::Plan here({{.name = "sum", .shape = {1}}}, {{.name = "level", .shape = {1}}}, 1, 1);
    here.unit = thalweg::Unit::sequence;
    return here;
  }
  Parameters start(const thalweg::Plan& here, const Block& buffer,
                   thalweg::Random& random) const override {
    log_->take(buffer);
    Parameters theta(here.parameters);
    theta["level"][0] = 100 * random.uniform();
    return theta;
  }
  std::unique_ptr<const thalweg::Prepared> prepare(const Parameters& theta) const override {
    return std::make_unique<const AtTheta>(*this, theta["level"][0]);
  }
  void draw(const Parameters&, const Block&, thalweg::Carry&, thalweg::Random&,
            double* row) const override {
    std::fill_n(row, 3, 0.0);
  }

  std::size_t components() const override { return 2; }
  void gather(const Parameters&, const Block& block, const double*, Sums& sums) const override {
    log_->take(block);
    add(block, sums);
  }
  std::size_t revive(const Block& buffer, const thalweg::Context&, Parameters&) const override {
    log_->take(buffer);
    return 0;
  }
  bool rearrange(const Block& buffer, const thalweg::Context&, std::size_t, thalweg::Random&,
                 Parameters&) const override {
    log_->take(buffer);
    return false;
  }

 private:
  class AtTheta final : public thalweg::Prepared {
   public:
    AtTheta(const Model& model, double level) : model_(model), level_(level) {}

    double expect(const Block& block, Sums& sums, thalweg::Work&) const override {
      model_.log_->take(block);
      model_.add(block, sums);
      double log_likelihood = 0;
      for (std::size_t t = 0; t < block.rows; ++t)
        log_likelihood += block.weight(t) * density(block, t);
      return log_likelihood;
    }
    void explain(const Block& block, thalweg::Explanation& out) const override {
      model_.log_->take(block);
      out.classes = 2;
      out.log_density.clear();
      for (std::size_t t = 0; t < block.rows; ++t) out.log_density.push_back(density(block, t));
      out.posterior.assign(2 * block.rows, 0.5);
    }

   private:
    double density(const Block& block, std::size_t t) const {
      const double x = (block.row(t)[0] - level_) / 100;
      return -0.5 * x * x;
    }
    const Model& model_;
    double level_;
  };

  static void add(const Block& block, Sums& sums) {
    for (std::size_t t = 0; t < block.rows; ++t) {
      sums["sum"][0] += block.weight(t) * block.row(t)[0];
      sums.weight += block.weight(t);
    }
  }
  void m_step(const thalweg::Statistic& S, const thalweg::Context&,
              Parameters& theta) const override {
    theta["level"][0] = S["sum"][0];
  }

  std::shared_ptr<Log> log_;
};

}  // namespace spy
