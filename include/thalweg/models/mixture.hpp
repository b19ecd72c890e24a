// Finite mixtures of any exponential family: log g_k(y) = <s(y), psi_k> - A_k + log h(y) is linear in s(y), so the E-step of a
// block is two matrix products around a softmax (Cappé 2010, algorithm for finite mixtures).
#pragma once

#include <thalweg/core/absorb.hpp>
#include <thalweg/core/family.hpp>
#include <thalweg/kernels/tile.hpp>
#include <thalweg/models/linear_form.hpp>
#include <thalweg/models/mixture_guesses.hpp>
#include <thalweg/models/mixture_mstep.hpp>
#include <thalweg/models/mixture_prior.hpp>
#include <thalweg/models/mixture_row.hpp>
#include <thalweg/models/rearrange.hpp>
#include <thalweg/models/revive.hpp>
#include <thalweg/models/seeding.hpp>
#include <thalweg/models/shares.hpp>
#include <thalweg/models/tangent.hpp>
#include <thalweg/models/tiles.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace thalweg {

/// The gradient recursion of a mixture M whose family tells its moments.
template <class M>
class MixtureTangent : public Tangent {
 public:
  void moments(const Parameters& theta, Statistic& S) const final {
    mixture_moments(mixture().family(), theta.data(), mixture().extent(theta), S.data());
  }
  void tangent(const Parameters& theta, const Statistic& dS, const Context& context,
               Parameters& dtheta) const final {
    mixture_tangent(mixture().family(), theta, mixture().extent(theta), dS, context, dtheta);
  }

 private:
  const M& mixture() const { return static_cast<const M&>(*this); }
};

/// … and of one whose family has not: there is none.
struct NoTangent {};

/// theta: weights (K), the family's parameters, its constants. S: a D × K matrix, row 0 the weights E[1{X=k}], the others
/// E[1{X=k} s_j(Y)].
template <Family F>
class Mixture final
    : public Model,
      public Absorb,
      public Gauge,
      public Conjugate,
      public Components,
      public Bounded,
      public Guessing,
      public std::conditional_t<WritesMoments<F>, MixtureTangent<Mixture<F>>, NoTangent> {
 public:
  Mixture(F family, std::size_t components) : family_(std::move(family)), K_(components) {
    if (components == 0)
      throw UsageError("a mixture needs at least one component (" + option("components") + ")");
  }

  std::size_t components() const override { return K_; }
  const F& family() const { return family_; }
  Extent extent(const Parameters& theta) const { return {K_, theta.layout().extent(Axis::column)}; }

  Plan plan(const Schema& schema) const override {
    const Extent e{K_, schema.width()};
    const Piece weights{.name = "weights",
                        .shape = {K_},
                        .axes = {Axis::component},
                        .meaning = Meaning::probability,
                        .domain = Domain::simplex};
    std::vector<Piece> statistic = {{.name = "weights",
                                     .shape = {K_},
                                     .axes = {Axis::component},
                                     .meaning = Meaning::probability}};
    for (const auto& [name, count] : family_.statistics(e))
      statistic.push_back(
          {.name = name, .shape = {count, K_}, .axes = {Axis::other, Axis::component}});
    std::vector<Piece> parameters = {weights};
    for (Piece& piece : family_.parameters(e)) parameters.push_back(std::move(piece));
    std::size_t free = 0;
    for (const Piece& piece : parameters) free += piece.free_entries();
    // A row brings as many numbers as it has columns.
    const std::size_t a_column = free / std::max<std::size_t>(e.d, 1);
    return {std::move(statistic), std::move(parameters), free, std::max<std::size_t>(K_, 2),
            100 * K_ + 20 * a_column};
  }

  void calibrate(const Block& buffer, Parameters& theta) const override {
    family_.calibrate(buffer, extent(theta), has_weights(theta) ? theta.data() : nullptr,
                      theta.data() + K_);
  }

  void check(const Schema& schema, const Block& block) const override {
    if (block.side.label) check_labels(block);
    check_cells(family_, schema, block);
  }

  Parameters start(const Plan& here, const Block& buffer, Random& random) const override {
    return guesses(here, buffer)->draw(random);
  }

  std::unique_ptr<const Guesses> guesses(const Plan& here, const Block& buffer) const override {
    return std::make_unique<const MixtureGuesses<Mixture>>(*this, here, buffer);
  }

  std::unique_ptr<const Prepared> prepare(const Parameters& theta) const override {
    return std::make_unique<const Tiles>(*this, theta);
  }

  void gather(const Parameters& theta, const Block& block, const double* posterior,
              Sums& sums) const override {
    for (std::size_t t = 0; t < block.rows; ++t) sums.weight += block.weight(t);
    accumulate_rows(form_of(theta), block, K_, posterior, sums.data());
  }

  /// Shares that are not negative, and of every component that has data what its family says.
  bool valid(const Parameters& theta, const Statistic& S) const override {
    const Extent e = extent(theta);
    if (std::any_of(S.data(), S.data() + K_, [](double share) { return share < 0; })) return false;
    return family_.valid(theta.data() + K_, S.data(), e, mixture_limits::empty_weight);
  }

  /// One row needs no tile. The smallest shapes, on which the textbook recursion is all overhead, are known at compile time.
  double absorb(Parameters& theta, const Block& block, double rate, Statistic& S,
                const Context& context, Carry& carry) const override {
    if (block.rows != 1 || !context.plain() || block.side.label)
      return absorb_by_expectation(*this, theta, block, rate, S, context, carry);
    const Extent e{K_, block.columns};
    if (family_.has_row_step(e, context)) {
      const double w = block.weight(0);
      const double log_likelihood =
          family_.absorb_row(block.row(0), w, rate, e, context, S.data(), theta.data(),
                             theta.data() + K_, carry.state);
      S.weight += w;
      return log_likelihood;
    }
    if (block.columns == 1) {
      if (K_ == 2) return absorb_row<2, 1>(family_, e, theta, block, rate, S, context);
      if (K_ == 3) return absorb_row<3, 1>(family_, e, theta, block, rate, S, context);
    }
    return absorb_row<0, 0>(family_, e, theta, block, rate, S, context);
  }

  /// <S, psi> - A: the expected log density of rows and components together, without log h.
  double score(const Parameters& theta, const Statistic& S) const override {
    const Extent e = extent(theta);
    std::vector<double> psi(width(theta));
    double sum = 0;
    for (std::size_t k = 0; k < K_; ++k) {
      family_.natural(theta.data() + K_, e, k, psi.data(), 1);
      psi[0] += std::log(std::max(theta.data()[k], mixture_limits::smallest_weight));
      for (std::size_t j = 0; j < psi.size(); ++j) sum += psi[j] * S.data()[j * K_ + k];
    }
    return sum;
  }

  Statistic prior(const Block& buffer, const Parameters& theta) const override {
    const Extent e = extent(theta);
    Statistic S_0(plan(Schema::numbered(e.d)).statistic);
    mixture_prior(family_, theta.data(), e, buffer, S_0.data());
    return S_0;
  }

  void regauge(const Parameters& from, const Parameters& to, Statistic& S) const override {
    family_.regauge(from.data() + K_, to.data() + K_, extent(from), S.data());
  }

  std::size_t revive(const Block& buffer, const Context& context,
                     Parameters& theta) const override {
    return revive_components(*this, buffer, context, theta);
  }

  /// See propose_rearrangement.
  bool rearrange(const Block& buffer, const Context& context, std::size_t attempt, Random& random,
                 Parameters& theta) const override {
    if (K_ < 3 || !context.plain() || buffer.side.label) return false;
    return propose_rearrangement(*this, Mixture(family_, 1), Mixture(family_, 2), buffer, context,
                                 attempt, random, theta);
  }

  void draw(const Parameters& theta, const Block& /*given*/, Carry& /*carry*/, Random& random,
            double* row) const override {
    double u = random.uniform();
    std::size_t k = 0;
    while (k + 1 < K_ && u >= theta.data()[k]) u -= theta.data()[k++];
    family_.draw(theta.data() + K_, extent(theta), k, random, row);
  }

  std::size_t width(const Parameters& theta) const { return family_.width(extent(theta)); }

  /// s_0 = 1, s_1, … of one row.
  void features(const Parameters& theta, const double* y, double* out) const {
    out[0] = 1.0;
    family_.features(theta.data() + K_, extent(theta), y, out + 1, 1);
  }

 private:
  using Form = FormOf<F>;

  /// The E-step at one theta: shares between the two products of a form.
  class Tiles final : public Prepared {
   public:
    Tiles(const Mixture& mixture, const Parameters& theta)
        : family_(mixture.family_),
          K_(mixture.K_),
          shares_(theta.data(), K_),
          form_(mixture.form_of(theta)) {}

    double expect(const Block& block, Sums& sums, Work& work) const override {
      double log_likelihood = 0;
      Accumulation<Form> accumulation(form_, sums.data());
      over(block,
           [&](std::size_t begin, std::size_t rows, double* workspace, double* r, double* log_f) {
             double part = 0;
             for (std::size_t t = 0; t < rows; ++t) {
               const double w = block.weight(begin + t);
               part += w * log_f[t];
               sums.weight += w;
               if (block.side.weight)
                 for (std::size_t k = 0; k < K_; ++k) r[k * kernels::tile_stride + t] *= w;
             }
             log_likelihood += part;
             if (work.log_density) std::copy_n(log_f, rows, work.log_density + begin);
             accumulation.add(workspace, r, rows);
           });
      accumulation.finish();
      return log_likelihood;
    }

    void explain(const Block& block, Explanation& out) const override {
      out.classes = K_;
      out.log_density.resize(block.rows);
      out.posterior.resize(block.rows * K_);
      over(block, [&](std::size_t begin, std::size_t rows, double*, double* r, double* log_f) {
        for (std::size_t t = 0; t < rows; ++t) {
          out.log_density[begin + t] = log_f[t];
          for (std::size_t k = 0; k < K_; ++k)
            out.posterior[(begin + t) * K_ + k] = r[k * kernels::tile_stride + t];
        }
      });
    }

   private:
    /// use(begin, rows, workspace, posterior, log_density) for every tile of the block.
    template <class Use>
    void over(const Block& block, const Use& use) const {
      over_tiles(form_, block, K_ + 1,
                 [&](std::size_t begin, std::size_t rows, double* workspace, double* r) {
                   double* const log_f = r + K_ * kernels::tile_stride;
                   shares_.fill(rows, r);
                   form_.score(workspace, rows, r);
                   shares_.normalise(r, rows, block.side.label ? block.side.label + begin : nullptr,
                                     log_f);
                   for (std::size_t t = 0; t < rows; ++t)
                     log_f[t] += family_.log_base(block.row(begin + t), block.columns);
                   use(begin, rows, workspace, r, log_f);
                 });
    }

    const F& family_;
    std::size_t K_;
    Shares shares_;
    Form form_;
  };

  void m_step(const Statistic& S, const Context& context, Parameters& theta) const override {
    maximise_mixture(family_, S.data(), extent(theta), context, theta.data());
  }

  bool has_weights(const Parameters& theta) const {
    return std::any_of(theta.data(), theta.data() + K_, [](double w) { return w > 0; });
  }

  void check_labels(const Block& block) const {
    for (std::size_t t = 0; t < block.rows; ++t)
      if (const double label = block.side.label[t];
          !std::isnan(label) &&
          !(label >= 0 && label < static_cast<double>(K_) && label == std::floor(label)))
        throw RowError(block.number(t),
                       "its label is not one of the " + std::to_string(K_) + " components");
  }

  Form form_of(const Parameters& theta) const {
    return Form(family_, theta.data() + K_, extent(theta));
  }

  F family_;
  std::size_t K_;
};

}  // namespace thalweg
