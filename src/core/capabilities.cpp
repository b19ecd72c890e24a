// Destructors of the capabilities, and what callers do where a model has none.
#include "core/domain.hpp"
#include <thalweg/core/capabilities.hpp>

namespace thalweg {

Absorb::~Absorb() = default;
Gauge::~Gauge() = default;
Conjugate::~Conjugate() = default;
Components::~Components() = default;
Tangent::~Tangent() = default;
Exact::~Exact() = default;
Canonical::~Canonical() = default;
Bounded::~Bounded() = default;
Guesses::~Guesses() = default;
Guessing::~Guessing() = default;

namespace {

class StartedAnew final : public Guesses {
 public:
  StartedAnew(const Model& model, const Plan& plan, const Block& rows)
      : model_(model), plan_(plan), rows_(rows) {}
  Parameters draw(Random& random) const override { return model_.start(plan_, rows_, random); }

 private:
  const Model& model_;
  Plan plan_;
  Block rows_;
};

}  // namespace

void calibrate(const Model& model, const Block& buffer, Parameters& theta) {
  if (const auto* gauge = capability<Gauge>(model)) gauge->calibrate(buffer, theta);
}

void regauge(const Model& model, const Parameters& from, const Parameters& to, Statistic& S) {
  if (const auto* gauge = capability<Gauge>(model)) gauge->regauge(from, to, S);
}

double score(const Model& model, const Parameters& theta, const Statistic& S) {
  const auto* conjugate = capability<Conjugate>(model);
  return conjugate ? conjugate->score(theta, S) : 0;
}

Statistic prior(const Model& model, const Block& buffer, const Parameters& theta) {
  if (const auto* conjugate = capability<Conjugate>(model)) return conjugate->prior(buffer, theta);
  throw UsageError("this model has no usual prior", {"give " + option("prior") + " a model file"});
}

std::size_t revive(const Model& model, const Block& buffer, const Context& context,
                   Parameters& theta) {
  const auto* components = capability<Components>(model);
  return components ? components->revive(buffer, context, theta) : 0;
}

bool rearrange(const Model& model, const Block& buffer, const Context& context, std::size_t attempt,
               Random& random, Parameters& theta) {
  const auto* components = capability<Components>(model);
  return components && components->rearrange(buffer, context, attempt, random, theta);
}

void align(const Model& model, Parameters& theta, Statistic& S) {
  if (const auto* canonical = capability<Canonical>(model)) canonical->align(theta, S);
}

std::unique_ptr<const Guesses> guesses(const Model& model, const Plan& plan, const Block& buffer) {
  if (const auto* guessing = capability<Guessing>(model)) return guessing->guesses(plan, buffer);
  return std::make_unique<const StartedAnew>(model, plan, buffer);
}

bool valid(const Model& model, const Parameters& theta, const Statistic& S) {
  if (!S.finite()) return false;
  if (const auto* bounded = capability<Bounded>(model)) return bounded->valid(theta, S);
  Parameters trial = theta;
  maximise(model, S, {.rows = S.weight}, trial);
  return in_domain(trial);
}

}  // namespace thalweg
