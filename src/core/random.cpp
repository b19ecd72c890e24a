// Random streams by key: the same numbers for the same seed, row and visit.
#include <thalweg/core/random.hpp>

#include <Random123/philox.h>

namespace thalweg {

void Random::refill() {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32U); };
  const auto join = [](std::uint32_t a, std::uint32_t b) {
    return static_cast<std::uint64_t>(a) << 32U | b;
  };
  const r123::Philox4x32::key_type key = {{low(seed_), high(seed_)}};
  const r123::Philox4x32::ctr_type counter = {{low(row_), high(row_), visit_, draw_}};
  const auto words = r123::Philox4x32()(counter, key);
  pool_ = {join(words[0], words[1]), join(words[2], words[3])};
  ++draw_;
  used_ = 0;
}

}  // namespace thalweg
