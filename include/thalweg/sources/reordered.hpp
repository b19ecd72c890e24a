// Kept rows, pass after pass, in an order that may change from pass to pass.
#pragma once

#include <thalweg/core/source.hpp>
#include <thalweg/data/picked_rows.hpp>
#include <thalweg/data/table.hpp>
#include <thalweg/data/units.hpp>

#include <memory>
#include <string_view>
#include <vector>

namespace thalweg {

enum class Order {
  sequential,  // as they came
  shuffled,    // a fresh permutation each pass
  random,      // as many rows as there are, each drawn with replacement
};

THALWEG_API Order parse_order(std::string_view text);  // an unknown word is a UsageError
THALWEG_API std::string_view order_name(Order order);

struct ReorderedOptions {
  Order order = Order::shuffled;
  std::uint64_t seed = 0;
  std::uint32_t pass = 0;  // the first pass: a resumed run goes on where it was
  std::size_t block_rows = 4096;
  Unit unit =
      Unit::row;  // what changes places as a whole; longer ones are not drawn by Order::random
};

/// The rows have as many columns as the schema. The order of a pass depends on (seed, pass) alone. `rewind` goes to the
/// next pass.
class THALWEG_API ReorderedSource final : public Source {
 public:
  ReorderedSource(Schema schema, Table rows, ReorderedOptions options = {});         // owns
  ReorderedSource(Schema schema, const Block& rows, ReorderedOptions options = {});  // looks at

  const Schema& schema() const override { return schema_; }
  bool next(Block& block) override;  // `first` is the place in the pass
  bool rewind() override;
  std::optional<std::uint64_t> rows() const override { return whole_.rows; }
  std::optional<double> share_read() const override;  // of this pass

  /// Names the row by its number before reordering.
  std::string where(std::uint64_t row) const override;

  std::uint32_t pass() const { return options_.pass; }
  void set_pass(std::uint32_t pass);  // to the first row of that pass

 private:
  void look_at(const Block& rows);
  std::size_t at(std::size_t place) const;  // which row stands at a place of this pass
  void gather(std::size_t count, Block& block);

  Schema schema_;
  std::shared_ptr<const Table> kept_;
  Block whole_;
  ReorderedOptions options_;
  std::size_t read_ = 0;
  std::vector<std::size_t> permutation_;  // of the current pass when shuffled
  std::vector<std::size_t> places_;       // of the rows of the current block
  PickedRows picked_;
};

}  // namespace thalweg
