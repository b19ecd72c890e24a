// Keeps the first rows of a source, for whoever looks at them after a fit.
#pragma once

#include <thalweg/data/table.hpp>
#include <thalweg/sources/observed.hpp>

#include <algorithm>

namespace thalweg {

class FirstRows final : public RowObserver {
 public:
  FirstRows(std::size_t columns, std::size_t rows) : wanted_(rows), kept_(columns) {}

  void see(const Block& block) override {
    const std::uint64_t have = kept_.rows();  // a row that comes again is told by its number
    if (have < wanted_ && block.first <= have && have < block.first + block.rows) {
      const auto begin = static_cast<std::size_t>(have - block.first);
      kept_.append(block.slice(begin, std::min(block.rows - begin, wanted_ - kept_.rows())));
    }
  }
  void save(Archive& archive) const override { archive.put("first_rows", kept_); }
  void load(const Archive& archive) override { archive.get("first_rows", kept_); }

  const Table& kept() const { return kept_; }

 private:
  std::size_t wanted_;
  Table kept_;
};

}  // namespace thalweg
