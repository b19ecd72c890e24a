// Passes a source on and remembers what it gave: how many rows, and a digest of them, so that a fit can go on later with the very
// same input and refuses another one.
#pragma once

#include <thalweg/core/forwarding.hpp>

#include <array>
#include <cstdint>
#include <optional>

namespace thalweg {

/// Of all that rows carry, row by row: how they were cut into blocks does not matter.
class THALWEG_API RowDigest {
 public:
  void add(const Block& block);
  const std::array<std::uint64_t, 4>& state() const { return lanes_; }
  bool operator==(const RowDigest&) const = default;

  void save(Archive& archive) const;
  void load(const Archive& archive);

 private:
  void add_entries(const Block& block, std::size_t t);

  std::array<std::uint64_t, 4> lanes_ = {
      1, 2, 3, 4};  // independent, so that they need not wait for each other
};

class THALWEG_API Journal final : public Forwarding<> {
 public:
  explicit Journal(Source& source) : Forwarding(source) {}

  bool next(Block& block) override;
  bool rewind() override;
  void go_to_stretch(const Stretch& stretch) override;

  /// Always: rows and digest, and the place in the source where it knows one.
  bool save_position(Archive& archive) const override;

  /// Straight there if the source knows the way, else by way of all rows before, which `next` gives again and compares.
  void load_position(const Archive& archive) override;
  void expect_again(const Archive& archive) override;

 private:
  void compare_when_there(const Block& block);

  std::uint64_t rows_ = 0;  // of this pass
  RowDigest digest_;
  bool in_stretch_ = false;  // whose end is not that of the input
  struct Expected {
    std::uint64_t rows;
    RowDigest digest;
  };
  std::optional<Expected> expected_;  // from an earlier run; until it has come again
};

}  // namespace thalweg
