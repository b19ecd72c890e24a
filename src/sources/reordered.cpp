// Draws the order of each pass by its number, and gathers the rows in it.
#include "core/row_order.hpp"
#include <thalweg/core/error.hpp>
#include <thalweg/core/random.hpp>
#include <thalweg/sources/reordered.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace thalweg {
namespace {

constexpr std::array<std::string_view, 3> order_names = {"sequential", "shuffled", "random"};

}  // namespace

Order parse_order(std::string_view text) {
  const auto found = std::find(order_names.begin(), order_names.end(), text);
  if (found == order_names.end())
    throw UsageError("order \"" + std::string(text) +
                     "\" is unknown, expected sequential, shuffled or random");
  return static_cast<Order>(found - order_names.begin());
}

std::string_view order_name(Order order) { return order_names[static_cast<std::size_t>(order)]; }

ReorderedSource::ReorderedSource(Schema schema, Table rows, ReorderedOptions options)
    : ReorderedSource(std::move(schema), Block{}, options) {
  kept_ = std::make_shared<const Table>(std::move(rows));
  look_at(kept_->block());
}

ReorderedSource::ReorderedSource(Schema schema, const Block& rows, ReorderedOptions options)
    : schema_(std::move(schema)), options_(options) {
  if (options_.block_rows == 0) throw UsageError("a block needs at least one row");
  look_at(rows);
}

void ReorderedSource::look_at(const Block& rows) {
  whole_ = rows;
  const bool marked = rows.side.unit_start && options_.unit == Unit::row;
  if (options_.order != Order::sequential && (marked || rows.sparse.starts))
    throw UsageError("sequences and sparse rows keep their order: use the order sequential");
  if (options_.order == Order::random && options_.unit != Unit::row)
    throw UsageError("sequences are not drawn with replacement: use the order shuffled");
  set_pass(options_.pass);
}

void ReorderedSource::set_pass(std::uint32_t pass) {
  options_.pass = pass;
  read_ = 0;
  if (options_.order == Order::shuffled)
    permutation_ = shuffled_places(whole_, options_.unit, options_.seed, pass);
}

std::size_t ReorderedSource::at(std::size_t place) const {
  if (options_.order == Order::sequential) return place;
  if (options_.order == Order::shuffled) return permutation_[place];
  return Random(options_.seed ^ order_salt, place, options_.pass).index(whole_.rows);
}

bool ReorderedSource::next(Block& block) {
  const std::size_t count = std::min(options_.block_rows, whole_.rows - read_);
  if (count == 0) return false;
  if (options_.order == Order::sequential) {
    block = whole_.slice(read_, count);
  } else {
    gather(count, block);
  }
  block.number_from(read_);
  read_ += count;
  return true;
}

void ReorderedSource::gather(std::size_t count, Block& block) {
  places_.resize(count);
  for (std::size_t t = 0; t < count; ++t) places_[t] = at(read_ + t);
  block = picked_.pick(whole_, places_);
}

bool ReorderedSource::rewind() {
  set_pass(options_.pass + 1);
  return true;
}

std::optional<double> ReorderedSource::share_read() const {
  if (whole_.rows == 0) return 1.0;
  return static_cast<double>(read_) / static_cast<double>(whole_.rows);
}

std::string ReorderedSource::where(std::uint64_t row) const {
  if (row >= whole_.rows) return Source::where(row);
  return Source::where(whole_.number(at(static_cast<std::size_t>(row))));
}

}  // namespace thalweg
