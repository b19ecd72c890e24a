// Some rows of a stream, each as likely to be among them as any other, whatever its length (Li 1994, algorithm L). Which ones depends on the
// seed and on how many came before, never on how they are cut into blocks.
#pragma once

#include <thalweg/core/archive.hpp>
#include <thalweg/data/table.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <cstdint>

namespace thalweg {

class THALWEG_API Reservoir {
 public:
  Reservoir(std::size_t columns, std::size_t wanted, std::uint64_t seed)
      : wanted_(wanted), seed_(seed), kept_(columns) {}

  void add(const Block& rows);  // dense ones
  Block block() const { return kept_.block(); }

  void save(Archive& archive) const;
  void load(const Archive& archive);

 private:
  double draw();
  void go_on();  // to the next row that is kept

  std::size_t wanted_;
  std::uint64_t seed_;
  std::uint64_t seen_ = 0;
  std::uint64_t next_ = 0;  // number of the next row that is kept, once there are enough
  std::uint64_t drawn_ = 0;
  double threshold_ =
      1;  // the largest of `wanted_` uniform keys, the smallest of those of all rows
  Table kept_;
};

}  // namespace thalweg
