// Counter-based random streams (Salmon et al. 2011, Philox 4×32): every (seed, row, visit) has a stream of its own, so that
// what is drawn for a row does not depend on who drew before it.
#pragma once

#include <thalweg/export.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace thalweg {

/// A uniform random bit generator: give it to the distributions of <random>.
class THALWEG_API Random {
 public:
  using result_type = std::uint64_t;

  explicit Random(std::uint64_t seed = 0, std::uint64_t row = 0, std::uint32_t visit = 0)
      : seed_(seed), row_(row), visit_(visit) {}

  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return std::numeric_limits<result_type>::max(); }

  result_type operator()() {
    if (used_ == 2) refill();
    return pool_[used_++];
  }

  std::uint64_t row() const { return row_; }

  /// How many values were drawn; a stream that goes to the same place goes on as this one does.
  std::uint64_t drawn() const { return std::uint64_t{2} * draw_ + used_ - 2; }
  void go_to(std::uint64_t drawn) {
    draw_ = static_cast<std::uint32_t>(drawn / 2);
    used_ = 2;
    if (drawn % 2 == 1) (*this)();
  }

  /// Uniform on [0, 1), 53 bits.
  double uniform() { return static_cast<double>((*this)() >> 11U) * 0x1.0p-53; }

  /// Uniform on 0 … bound-1.
  std::size_t index(std::size_t bound) {
    return static_cast<std::size_t>(uniform() * static_cast<double>(bound));
  }

 private:
  void refill();

  std::uint64_t seed_;
  std::uint64_t row_;
  std::uint32_t visit_;
  std::uint32_t draw_ = 0;
  std::size_t used_ = 2;
  std::array<result_type, 2> pool_{};
};

}  // namespace thalweg
