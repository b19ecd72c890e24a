// Chains sample, limit and shuffle buffer over a table, and keeps the faults of the worst pass.
#include <thalweg/core/error.hpp>
#include <thalweg/sources/filtered.hpp>

#include <algorithm>
#include <utility>

namespace thalweg {

FilteredTable::FilteredTable(std::unique_ptr<TableSource> table, const FilterOptions& options)
    : Forwarding(*table, "rows/"), table_(std::move(table)) {
  if (table_->has_sequences() && (options.sample || options.shuffle))
    throw UsageError("a sample and a shuffle buffer would tear sequences apart");
  if (options.sample) {
    sampled_ = std::make_unique<Sampled>(
        source(), SampledOptions{.share = *options.sample, .seed = options.seed});
    read_from(*sampled_);
  }
  if (options.limit) {
    limited_ = std::make_unique<Limited>(source(), *options.limit);
    read_from(*limited_);
  }
  if (options.shuffle) {
    shuffled_ = std::make_unique<ShuffleBuffer>(
        source(), ShuffleBufferOptions{.rows = static_cast<std::size_t>(*options.shuffle),
                                       .seed = options.seed});
    read_from(*shuffled_);
  }
}

bool FilteredTable::next(Block& block) {
  if (source().next(block)) {
    in_pass_ += block.rows;
    given_ = std::max(given_, in_pass_);
    return true;
  }
  if (given_ > 0 || in_stretch_) return false;
  const Faults& lost = faults();
  if (lost.rows_skipped() > 0)
    throw Error("no row could be used, " + std::to_string(lost.rows_skipped()) +
                " were skipped; the first: " + lost.first().front());
  if (sampled_) throw Error("no row of the input is in the sample (take a larger share)");
  return false;
}

bool FilteredTable::rewind() {
  Faults now = faults();
  UnknownLevels unknown = unknown_levels();
  if (!source().rewind()) return false;
  earlier_ = std::move(now);
  unknown_earlier_ = std::move(unknown);
  in_pass_ = 0;
  in_stretch_ = false;
  return true;
}

void FilteredTable::go_to_stretch(const Stretch& stretch) {
  Forwarding::go_to_stretch(stretch);
  in_stretch_ = true;
}

const Faults& FilteredTable::faults() const {
  const auto size = [](const Faults& faults) {
    return faults.rows_skipped() + faults.cells_missing();
  };
  return size(table_->faults()) >= size(earlier_) ? table_->faults() : earlier_;
}

const UnknownLevels& FilteredTable::unknown_levels() const {
  const UnknownLevels& now = table_->unknown_levels();
  return now.cells() >= unknown_earlier_.cells() ? now : unknown_earlier_;
}

void FilteredTable::save_own(Archive& archive) const {
  archive.put("in_pass", in_pass_);
  archive.put("given", given_);
}

void FilteredTable::load_own(const Archive& archive) {
  in_pass_ = archive.count("in_pass");
  given_ = archive.count("given");
}

std::size_t FilteredTable::row_in_table(std::size_t row_in_block) const {
  if (shuffled_) throw UsageError("the fields of shuffled rows are not kept");
  return sampled_ ? sampled_->row_in_source(row_in_block) : row_in_block;
}

const std::vector<std::string>& FilteredTable::raw(std::size_t row_in_block) const {
  return table_->raw(row_in_table(row_in_block));
}

std::string_view FilteredTable::raw(std::size_t row_in_block, std::size_t field) const {
  return table_->raw(row_in_table(row_in_block), field);
}

}  // namespace thalweg
