// A family whose functions are not those of core/family.hpp, and capabilities of which a half is missing.
#include <thalweg/models/mixture.hpp>

using namespace thalweg;

namespace {

/// One rate for each column, as Poisson has them, and nothing that is not needed.
struct Rates : FamilyDefaults<Rates> {
  static constexpr std::string_view name = "rates";
  static constexpr std::string_view domain = "numbers from 0 on";

  bool contains(double y, std::size_t) const { return y >= 0; }
  std::vector<std::pair<std::string, std::size_t>> statistics(Extent e) const {
    return {{"sums", e.d}};
  }
  std::size_t width(Extent e) const { return 1 + e.d; }
  std::vector<Piece> parameters(Extent e) const {
    return {{.name = "rates", .shape = {e.K, e.d}, .axes = {Axis::component, Axis::column}}};
  }
  void features(const double*, Extent e, const double* y, double* out, std::size_t stride) const {
    for (std::size_t j = 0; j < e.d; ++j) out[j * stride] = y[j];
  }
  void natural(const double*, Extent, std::size_t, double* psi, std::size_t) const { psi[0] = 0; }
  void draw(const double*, Extent, std::size_t, Random&, double*) const {}

#if MISTAKE == 1  // family.maximise
  void maximise(const double*, Extent, const Context&, double*) const {}
#else
  void maximise(const double*, Extent, std::size_t, const Context&, double*) const {}
#endif
#if MISTAKE == 2  // family.valid
  bool valid(const double*, Extent) const { return false; }
#elif MISTAKE == 3  // family.prior_features
  double prior_features(const Block&, const double*, Extent, double*) const { return 0; }
#elif MISTAKE == 4  // CalibrateWithRegauge
  void calibrate(const Block&, Extent, const double*, double*) const {}
#elif MISTAKE == 5  // TangentWithMoments
  void tangent(const double*, Extent, std::size_t, double, const double*, const Context&,
               double*) const {}
#elif MISTAKE == 6  // HasRowStepWithAbsorbRow
  bool has_row_step(Extent, const Context&) const { return true; }
#elif MISTAKE == 7  // family.embed
  void embed(Extent, const double*, double*) {}
#elif MISTAKE == 8  // family.log_base
  double log_base(const double*) const { return 0; }
#elif MISTAKE == 9  // family.moments
  void moments(const double*, Extent, double*, std::size_t) const {}
#endif
};

}  // namespace

Mixture<Rates> two_rates() { return {Rates{}, 2}; }
