// What all models share: the prior-aware M-step, and passes over a single block.
#include <thalweg/core/model.hpp>

#include <cmath>

namespace thalweg {
namespace {

class PlainPrepared final : public Prepared {
 public:
  PlainPrepared(const PlainModel& model, const Parameters& theta) : model_(model), theta_(theta) {}
  double expect(const Block& block, Sums& sums, Work& work) const override {
    if (work.log_density) {
      Explanation seen;
      model_.explain(theta_, block, seen);
      std::copy(seen.log_density.begin(), seen.log_density.end(), work.log_density);
    }
    return model_.expect(theta_, block, sums);
  }
  void explain(const Block& block, Explanation& out) const override {
    model_.explain(theta_, block, out);
  }

 private:
  const PlainModel& model_;
  const Parameters& theta_;
};

}  // namespace

Prepared::~Prepared() = default;
Model::~Model() = default;

void Model::check(const Schema& schema, const Block& block) const { check_finite(schema, block); }

void maximise(const Model& model, const Statistic& S, const Context& context, Parameters& theta) {
  if (!context.prior) return model.m_step(S, context, theta);
  Statistic with_prior = S;
  const double n_0 = context.prior->weight;
  blend(with_prior, *context.prior, n_0 / (context.rows + n_0));
  model.m_step(with_prior, context, theta);
}

double expect(const Model& model, const Parameters& theta, const Block& block, Sums& sums) {
  Work work;
  return model.prepare(theta)->expect(block, sums, work);
}

void explain(const Model& model, const Parameters& theta, const Block& block, Explanation& out) {
  model.prepare(theta)->explain(block, out);
}

void draw(const Model& model, const Parameters& theta, Random& random, double* row) {
  Carry carry;
  model.draw(theta, Block{}, carry, random, row);
}

std::unique_ptr<const Prepared> PlainModel::prepare(const Parameters& theta) const {
  return std::make_unique<const PlainPrepared>(*this, theta);
}

void check_finite(const Schema& schema, const Block& block) {
  for (std::size_t t = 0; t < block.rows; ++t)
    for (std::size_t j = 0; j < block.columns; ++j)
      if (const double y = block.row(t)[j]; !std::isfinite(y))
        throw RowError(block.number(t), "column \"" + schema.columns[j] + "\": " +
                                            (std::isnan(y) ? "missing value" : "infinite value") +
                                            ", this model needs a number in every cell");
}

}  // namespace thalweg
