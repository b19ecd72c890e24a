// Averaging of the iterates: the step that makes online EM statistically efficient (Polyak & Juditsky 1992), also for streams
// whose length is unknown (polynomial decay: Shamir & Zhang 2013).
#pragma once

#include <thalweg/core/archive.hpp>
#include <thalweg/core/schedule.hpp>
#include <thalweg/core/statistic.hpp>
#include <thalweg/export.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace thalweg {

struct THALWEG_API Averaging {
  enum class Kind { off, polynomial, from, half, automatic };
  enum class Of { statistic, parameters };

  Kind kind = Kind::polynomial;
  double eta = 3;              // polynomial: A += (eta+1)/(j+eta) (S - A), j = 1, 2, …
  std::uint64_t from_row = 0;  // from: the plain mean of the iterates after that many rows
  Of of = Of::statistic;       // S is valid for every model; the source's figures average theta

  /// Of a stream: poly:3 on the way, and a scoring step from the mean of the whole path at its end. See PathMean.
  static Averaging automatic() { return {.kind = Kind::automatic}; }

  /// "auto", "poly:3", "half", "from:10000", "off": the syntax of --average.
  static Averaging parse(std::string_view text);
  std::string text() const;

  /// `half` becomes `from` half the length; without a length it is a UsageError.
  Averaging resolve(std::optional<std::uint64_t> length) const;

  /// What `auto` means under these step sizes: one that tracks does not average.
  Averaging under(const Schedule& step) const;

  /// The weight of the newest iterate when it is the j-th that is averaged.
  double rate(std::uint64_t j) const {
    const auto x = static_cast<double>(j);
    return kind == Kind::polynomial || kind == Kind::automatic ? (eta + 1) / (x + eta) : 1 / x;
  }
  bool starts_after(std::uint64_t rows) const { return kind != Kind::from || rows > from_row; }
};

}  // namespace thalweg
