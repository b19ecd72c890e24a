// Looks, decides, and reads stretches in random order through a shuffle buffer.
#include "sources/mixed_rows.hpp"

#include <thalweg/core/error.hpp>
#include <thalweg/core/random.hpp>
#include <thalweg/core/schedule.hpp>

#include <algorithm>
#include <numeric>
#include <utility>

namespace thalweg {
namespace {

constexpr std::uint64_t stretches_salt = 0x73747265746368;
constexpr std::uint64_t look_salt = 0x6c6f6f6b;
constexpr std::uint64_t page_bytes = 4096;
constexpr std::size_t block_rows = 1024;  // between two of them a fit can be stopped

// A buffer of half of `keep` mixes rows of some hundred stretches. Shorter ones would cost more to go to than to read, and more than a
// million of them too much to know.
std::uint64_t bytes_of_a_stretch(const Source& source, std::uint64_t keep) {
  const std::uint64_t wanted =
      std::clamp<std::uint64_t>(keep / 2048, page_bytes / 8, 8 * page_bytes);
  return std::max(wanted, source.stretches(page_bytes) * page_bytes >> 20U);
}

}  // namespace

StretchesInTurn::StretchesInTurn(Source& source, std::uint64_t bytes, std::uint64_t seed)
    : Forwarding(source), bytes_(bytes), seed_(seed) {
  draw();
}

void StretchesInTurn::draw() {
  order_.resize(static_cast<std::size_t>(source().stretches(bytes_)));
  std::iota(order_.begin(), order_.end(), std::uint32_t{0});
  Random random(seed_ ^ stretches_salt, 0, pass_);
  for (std::size_t left = order_.size(); left > 1; --left)
    std::swap(order_[left - 1], order_[random.index(left)]);
  at_ = 0;
}

/// Where no stretch has a row, the input itself says why.
bool StretchesInTurn::next(Block& block) {
  while (at_ == 0 || !source().next(block)) {
    if (at_ == order_.size()) return !any_ && source().rewind() && source().next(block);
    source().go_to_stretch({.number = order_[at_++], .bytes = bytes_});
  }
  any_ = true;
  return true;
}

bool StretchesInTurn::rewind() {
  if (!source().rewind()) return false;
  ++pass_;
  draw();
  return true;
}

std::optional<double> StretchesInTurn::share_read() const {
  return order_.empty() ? 1.0 : real(at_) / real(order_.size());
}

MixedRows::MixedRows(Source& source, MixedRowsOptions options)
    : Forwarding(source), plain_(source), options_(std::move(options)) {
  using When = MixedRowsOptions::When;
  if (options_.when == When::always && plain_.stretches(page_bytes) > 0) {
    mix();
  } else if (options_.when != When::never) {
    const auto found = plain_.stretches(page_bytes) > 0 ? look_around() : look_at_beginning();
    if (found) {
      mix();
      const Message how =
          stretches_ ? "read in stretches whose order " + option("seed") + " draws, and mixed"
                     : Message("mixed");
      if (options_.tell)
        options_.tell({.text = "the order of the rows would mislead a fit (" + *found +
                               "): they are " + how + " within " + std::to_string(rows_mixed()) +
                               " rows"});
    }
  }
  if (!shuffled_ && options_.warns) hint_.emplace(source.schema());
}

/// Rows of stretches from all over the input. One that cannot be read (it may be cut within quotes) is passed over.
std::optional<std::string> MixedRows::look_around() {
  const std::size_t width = std::max<std::size_t>(plain_.schema().width(), 1);
  const std::uint64_t all = plain_.stretches(page_bytes) * page_bytes;
  const std::uint64_t wanted = std::max<std::uint64_t>(page_bytes, width * sizeof(double) * 32);
  const std::uint64_t bytes = std::clamp<std::uint64_t>(all / OrderTest::stretches, 64, wanted);
  const std::uint64_t there = plain_.stretches(bytes);
  const std::uint64_t count = std::min<std::uint64_t>(there, OrderTest::stretches);
  OrderTest test(width);
  std::uint64_t rows = 0;
  for (std::uint64_t g = 0; g < count; ++g) {
    const double place = real(g) + Random(options_.seed ^ look_salt, g).uniform();
    const auto number = static_cast<std::uint64_t>(place * (real(there) / real(count)));
    Table seen(plain_.schema().width());
    try {
      plain_.go_to_stretch({.number = std::min(number, there - 1), .bytes = bytes, .look = true});
      for (Block block; plain_.next(block);) seen.append(block);
    } catch (const Error&) {
    }
    rows += seen.rows();
    test.add(seen.block());
  }
  plain_.rewind();
  const double expected = real(rows) / real(std::max<std::uint64_t>(count, 1)) * real(there);
  const double in_memory = expected * real((width + 1) * sizeof(double));
  if (options_.small_fits && in_memory < 0.9 * real(options_.keep)) return std::nullopt;
  const auto found = test.found();
  return found ? std::optional(in_words(*found, plain_.schema().columns)) : std::nullopt;
}

/// Of an input that comes from front to back alone, but can be read again.
std::optional<std::string> MixedRows::look_at_beginning() {
  if (options_.small_fits || !plain_.share_read() || !plain_.rewind()) return std::nullopt;
  SortedHint hint(plain_.schema());
  Table first(plain_.schema().width());
  for (Block block; first.rows() < SortedHint::rows_looked_at && plain_.next(block);) {
    if (!block.values || block.side.unit_start) break;
    hint.see(block);
    first.append(block);
  }
  plain_.rewind();
  if (auto sorted = hint.found()) return sorted;
  const auto found = order_of(first.block());
  return found ? std::optional(in_words(*found, plain_.schema().columns)) : std::nullopt;
}

std::size_t MixedRows::rows_mixed() const {
  const std::uint64_t a_row = (plain_.schema().width() + 3) * sizeof(double);
  return static_cast<std::size_t>(std::max<std::uint64_t>(options_.keep / 2 / a_row, 64));
}

void MixedRows::mix() {
  Source* rows = &plain_;
  if (plain_.stretches(page_bytes) > 0) {
    stretches_ = std::make_unique<StretchesInTurn>(
        plain_, bytes_of_a_stretch(plain_, options_.keep), options_.seed);
    rows = stretches_.get();
  }
  shuffled_ = std::make_unique<ShuffleBuffer>(
      *rows,
      ShuffleBufferOptions{.rows = rows_mixed(), .seed = options_.seed, .block_rows = block_rows});
  read_from(*shuffled_);
  hint_.reset();
}

void MixedRows::mix_no_longer() {
  read_from(plain_);
  shuffled_.reset();
  stretches_.reset();
  plain_.rewind();
}

bool MixedRows::next(Block& block) {
  const bool more = source().next(block);
  if (hint_) more ? watch(block) : warn_if_sorted();
  return more;
}

void MixedRows::watch(const Block& block) {
  hint_->see(block);
  if (block.number(block.rows - 1) + 1 >= SortedHint::rows_looked_at) warn_if_sorted();
}

void MixedRows::warn_if_sorted() {
  const auto found = hint_->found();
  hint_.reset();
  if (!found || !options_.tell) return;
  Message text = "the rows look sorted (" + *found + "), which misleads a fit that reads them once";
  text.advise("use " + option("shuffle_buffer", "100000"));
  text.advise(option("order", "shuffled"));
  options_.tell({.text = std::move(text), .warning = true});
}

bool MixedRows::rewind() {
  hint_.reset();
  return source().rewind();
}

std::uint64_t MixedRows::number_in_source(std::uint64_t row) const {
  return shuffled_ ? shuffled_->number_in_source(row) : row;
}

bool MixedRows::save_position(Archive& archive) const {
  if (!shuffled_) return plain_.save_position(archive);
  archive.put("mixed", plain_.stretches(1));
  Archive place;
  if (plain_.save_position(place)) archive.put("source/", place);
  return true;
}

void MixedRows::load_position(const Archive& archive) {
  if (archive.has_count("mixed")) return expect_again(archive);
  if (shuffled_) mix_no_longer();
  plain_.load_position(archive);
}

void MixedRows::expect_again(const Archive& archive) {
  if (!archive.has_count("mixed")) {  // as it began: rows in their order
    if (shuffled_) mix_no_longer();
    return plain_.expect_again(archive);
  }
  if (!shuffled_) mix();
  if (archive.count("mixed") != plain_.stretches(1))
    throw Error(
        "the input has another length than the one that was learned before (resume with "
        "the input of the first run)");
  plain_.expect_again(archive.nested("source/"));
}

}  // namespace thalweg
