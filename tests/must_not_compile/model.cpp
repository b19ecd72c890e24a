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

}  // namespace

#if MISTAKE == 1  // a model's check takes (const Schema&, const Block&)
ModelHandle handed_over() { return LooksAtBlocksAlone(); }
#elif MISTAKE == 2  // a model's check takes (const Schema&, const Block&)
ModelHandle handed_over() { return std::make_shared<const LooksAtBlocksAlone>(); }
#elif MISTAKE == 3  // calibrate
HalfAGauge half;
#else
ModelHandle handed_over() { return Mine(); }
ModelHandle shared() { return std::make_shared<const Mine>(); }
#endif
