#include <thalweg/core/cutter.hpp>

namespace thalweg {

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
