// Threads take turns to read and parse beside each other; parts leave in file order.
#include "csv_parts.hpp"

#include <utility>

namespace thalweg {
namespace {

// Very long rows make very long chunks: fewer of them are under way then.
constexpr std::size_t bytes_under_way = std::size_t{1} << 25U;

}  // namespace

CsvParts::CsvParts(CsvReader& reader, CsvLayout layout, std::size_t threads)
    : reader_(reader),
      layout_(std::move(layout)),
      threads_(reader.is_stream() ? 1 : threads),
      caller_helps_(reader.rewindable()) {}  // a wait for a std::istream cannot be called off

bool CsvParts::next(CsvPart& part) {
  if (pool_.empty()) {
    // An input of one chunk is read before threads would have started.
    if (threads_ < 2 || alone_ < reader_.chunk_bytes() || reader_.ended())
      return read_and_parse(part);
    const std::size_t others = caller_helps_ ? threads_ - 1 : threads_;
    for (std::size_t i = 0; i < others; ++i) pool_.emplace_back([this] { work(); });
  }
  std::unique_lock lock(mutex_);
  while (!front_is_done()) {
    std::unique_lock turn(reading_, std::defer_lock);
    if (caller_helps_ && !no_more_ && has_room() && turn.try_lock()) {
      lock.unlock();
      parse_one(chunk_, std::move(turn));
      lock.lock();
    } else {
      changed_.wait(lock);
    }
  }
  Slot& slot = *under_way_.front();
  if (slot.error) std::rethrow_exception(slot.error);  // and again, whenever asked
  if (slot.end) return false;
  std::swap(part, slot.part);
  bytes_ -= slot.bytes;
  spare_.push_back(std::move(under_way_.front()));
  under_way_.pop_front();
  lock.unlock();
  changed_.notify_all();
  return true;
}

bool CsvParts::read_and_parse(CsvPart& part) {
  if (!reader_.next(chunk_)) return false;
  alone_ += chunk_.text().size();
  parse_chunk(chunk_, layout_, part);
  return true;
}

void CsvParts::work() {
  CsvChunk chunk;
  while (parse_one(chunk, std::unique_lock(reading_))) {
  }
}

/// Reads the next chunk while it is this thread's turn, and parses it beside the others. False at the end.
bool CsvParts::parse_one(CsvChunk& chunk, std::unique_lock<std::mutex> turn) {
  Slot* slot = begin_slot();
  if (!slot) return false;
  bool more = false;
  std::exception_ptr error;
  try {
    more = reader_.next(chunk);
    {
      const std::lock_guard lock(mutex_);
      slot->bytes = more ? chunk.text().size() : 0;
      bytes_ += slot->bytes;
      no_more_ = no_more_ || !more;
    }
    turn.unlock();
    if (caller_helps_) changed_.notify_all();
    if (more) parse_chunk(chunk, layout_, slot->part);
  } catch (...) {
    error = std::current_exception();
    more = false;
  }
  {
    const std::lock_guard lock(mutex_);
    slot->error = error;
    slot->end = !more;
    slot->done = true;
    no_more_ = no_more_ || !more;
  }
  changed_.notify_all();
  return more;
}

/// A place behind all others, when there is room; null when no more is wanted.
CsvParts::Slot* CsvParts::begin_slot() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return no_more_ || has_room(); });
  if (no_more_) return nullptr;
  if (spare_.empty()) spare_.push_back(std::make_unique<Slot>());
  under_way_.push_back(std::move(spare_.back()));
  spare_.pop_back();
  under_way_.back()->done = false;
  return under_way_.back().get();
}

bool CsvParts::has_room() const {
  return under_way_.empty() || (under_way_.size() < threads_ + 2 && bytes_ < bytes_under_way);
}

void CsvParts::stop() {
  {
    const std::lock_guard lock(mutex_);
    no_more_ = true;
  }
  reader_.give_up();
  changed_.notify_all();
  for (std::thread& thread : pool_) thread.join();
  pool_.clear();
  under_way_.clear();
  spare_.clear();
  bytes_ = 0;
  no_more_ = false;
  alone_ = 0;
}

}  // namespace thalweg
