// Keeps the first rows of a source, whole units, for whoever looks at them after a fit.
#pragma once

#include <thalweg/data/table.hpp>
#include <thalweg/data/units.hpp>
#include <thalweg/sources/observed.hpp>

namespace thalweg {

class FirstRows final : public RowObserver {
 public:
  FirstRows(std::size_t columns, std::size_t rows, Unit unit)
      : wanted_(rows), unit_(unit), kept_(columns) {}

  void see(const Block& block) override {
    const std::uint64_t have = kept_.rows();  // a row that comes again is told by its number
    if (full_ || block.number(0) > have || have >= block.number(0) + block.rows) return;
    const auto begin = static_cast<std::size_t>(have - block.number(0));
    const Block left = block.slice(begin, block.rows - begin);
    const std::size_t lacking = wanted_ > kept_.rows() ? wanted_ - kept_.rows() : 0;
    const auto end = unit_after(left, lacking, unit_);
    kept_.append(left.slice(0, end.value_or(left.rows)));
    full_ = end.has_value();
  }
  void save(Archive& archive) const override { archive.put("first_rows", kept_); }
  void load(const Archive& archive) override {
    archive.get("first_rows", kept_);
    full_ = unit_ == Unit::row && kept_.rows() >= wanted_;
  }

  const Table& kept() const { return kept_; }

 private:
  std::size_t wanted_;
  Unit unit_;
  bool full_ = false;
  Table kept_;
};

}  // namespace thalweg
