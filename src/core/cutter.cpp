// Blocks of any size cut into pieces of a fixed one, or of whole units.
#include <thalweg/core/cutter.hpp>

namespace thalweg {

void Cutter::feed_units(const Block& block, const UsePiece& use) {
  std::size_t taken = 0;
  while (!waiting_.empty() && taken < block.rows) {
    const std::size_t count = rows_to_join(block, taken);
    const bool may_end = join(block.slice(taken, count));
    taken += count;
    const auto end = may_end ? next_end(waiting_.block()) : std::nullopt;
    if (!end) continue;
    use(waiting_.block().slice(0, *end));
    taken -= give_back(*end, count);
  }
  while (taken < block.rows) {
    const Block left = block.slice(taken, block.rows - taken);
    const auto end = next_end(left);
    if (!end) return waiting_.append(left);
    use(left.slice(0, *end));
    taken += *end;
  }
}

/// Whole pieces among the rows that wait: only a search of all of them would have found them before.
void Cutter::flush_units(const UsePiece& use) {
  while (const auto end = next_end(waiting_.block())) {
    use(waiting_.block().slice(0, *end));
    give_back(*end, 0);
  }
}

/// Enough to see beyond a piece; behind a unit that is longer than that, up to the row that begins the next one.
std::size_t Cutter::rows_to_join(const Block& block, std::size_t taken) const {
  if (waiting_.rows() <= size_) return std::min(block.rows - taken, size_ + 1 - waiting_.rows());
  std::size_t last = taken;
  while (last + 1 < block.rows && !begins_unit(block, last, unit_)) ++last;
  return last + 1 - taken;
}

/// False where these rows cannot have ended the piece that waits: a long unit that comes row by row is not searched for each of them.
bool Cutter::join(const Block& rows) {
  const std::size_t before = waiting_.rows();
  waiting_.append(rows);
  return waiting_.rows() > size_ && (before <= size_ || begins_unit(rows, rows.rows - 1, unit_));
}

/// After a piece that ended before the last of the rows that joined: they stay in their block, older rows wait on.
std::size_t Cutter::give_back(std::size_t end, std::size_t joined) {
  const Block whole = waiting_.block();
  const std::size_t over = whole.rows - end;
  const std::size_t back = std::min(over, joined);
  Table rest(whole.columns);
  rest.append(whole.slice(end, over - back));
  waiting_ = std::move(rest);
  return back;
}

}  // namespace thalweg
