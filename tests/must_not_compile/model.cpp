// Models that would be handed over with a function which nobody calls.
#include <thalweg/core/capabilities.hpp>

using namespace thalweg;

namespace {

struct Mine : PlainModel {
  Plan plan(const Schema&) const override { return {}; }
  Parameters start(const Plan&, const Block&, Random&) const override { return {}; }
  double expect(const Parameters&, const Block&, Sums&) const override { return 0; }
  void explain(const Parameters&, const Block&, Explanation&) const override {}
  void draw(const Parameters&, const Block&, Carry&, Random&, double*) const override {}
  void m_step(const Statistic&, const Context&, Parameters&) const override {}
};

struct LooksAtBlocksAlone : Mine {
  void check(const Block&) const {}
};

struct HalfAGauge : Mine, Gauge {
  void regauge(const Parameters&, const Parameters&, Statistic&) const override {}
};

struct HalfAConjugate : Mine, Conjugate {
  double score(const Parameters&, const Statistic&) const override { return 0; }
};

struct HalfATangent : Mine, Tangent {
  void moments(const Parameters&, Statistic&) const override {}
};

struct HalfAnExact : Mine, Exact {
  std::shared_ptr<const Layout> observed(const Schema&) const override { return nullptr; }
  void tally(const Parameters&, const Block&, Sums&) const override {}
};

struct SomeComponents : Mine, Components {
  std::size_t components() const override { return 2; }
  void gather(const Parameters&, const Block&, const double*, Sums&) const override {}
  std::size_t revive(const Block&, const Context&, Parameters&) const override { return 0; }
};

struct OtherBounds : Mine, Bounded {
  bool valid(const Statistic&) const { return true; }
};

struct OtherStep : Mine, Absorb {
  double absorb(Parameters&, const Block&, double, Statistic&, const Context&) const { return 0; }
};

struct OtherAlignment : Mine, Canonical {
  void align(Parameters&) const {}
};

}  // namespace

#if MISTAKE == 1  // a model's check takes (const Schema&, const Block&)
ModelHandle handed_over() { return LooksAtBlocksAlone(); }
#elif MISTAKE == 2   // a model's check takes (const Schema&, const Block&)
ModelHandle handed_over() { return std::make_shared<const LooksAtBlocksAlone>(); }
#elif MISTAKE == 3   // calibrate
HalfAGauge half;
#elif MISTAKE == 4   // prior
HalfAConjugate half;
#elif MISTAKE == 5   // tangent
HalfATangent half;
#elif MISTAKE == 6   // solve
HalfAnExact half;
#elif MISTAKE == 7   // rearrange
SomeComponents half;
#elif MISTAKE == 8   // valid
OtherBounds other;
#elif MISTAKE == 9   // absorb
OtherStep other;
#elif MISTAKE == 10  // align
OtherAlignment other;
#else
ModelHandle handed_over() { return Mine(); }
ModelHandle shared() { return std::make_shared<const Mine>(); }
#endif
