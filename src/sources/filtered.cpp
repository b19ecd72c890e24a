#include <thalweg/core/error.hpp>
#include <thalweg/sources/filtered.hpp>

#include <algorithm>
#include <utility>

namespace thalweg {

FilteredTable::FilteredTable(std::unique_ptr<TableSource> table, const FilterOptions& options)
    : table_(std::move(table)), last_(table_.get()) {
  if (table_->has_sequences() && (options.sample || options.shuffle))
    throw UsageError("--sample and --shuffle-buffer would tear sequences apart");
  if (options.sample) {
    sampled_ = std::make_unique<Sampled>(
        *last_, SampledOptions{.share = *options.sample, .seed = options.seed});
    last_ = sampled_.get();
  }
  if (options.limit) {
    limited_ = std::make_unique<Limited>(*last_, *options.limit);
    last_ = limited_.get();
  }
  if (options.shuffle) {
    shuffled_ = std::make_unique<ShuffleBuffer>(
        *last_, ShuffleBufferOptions{.rows = static_cast<std::size_t>(*options.shuffle),
                                     .seed = options.seed});
    last_ = shuffled_.get();
  }
}

bool FilteredTable::next(Block& block) {
  if (last_->next(block)) {
    in_pass_ += block.rows;
    given_ = std::max(given_, in_pass_);
    return true;
  }
  if (given_ > 0) return false;
  const Faults& lost = faults();
  if (lost.rows_skipped() > 0)
    throw Error("no row could be used, " + std::to_string(lost.rows_skipped()) +
                " were skipped; the first: " + lost.first().front());
  if (sampled_ || limited_) throw Error("no row is left of the input by --sample and --limit");
  return false;
}

bool FilteredTable::rewind() {
  Faults now = faults();
  UnknownLevels unknown = unknown_levels();
  if (!last_->rewind()) return false;
  earlier_ = std::move(now);
  unknown_earlier_ = std::move(unknown);
  in_pass_ = 0;
  return true;
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

bool FilteredTable::save_position(Archive& archive) const {
  Archive inner;
  if (!last_->save_position(inner)) return false;
  archive.put("rows/", inner);
  archive.put("in_pass", in_pass_);
  archive.put("given", given_);
  return true;
}

void FilteredTable::load_position(const Archive& archive) {
  last_->load_position(archive.nested("rows/"));
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
