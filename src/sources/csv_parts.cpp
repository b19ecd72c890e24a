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
      threads_(reader.is_stream() ? 1 : threads) {
}  // a wait for a std::istream cannot be called off

bool CsvParts::next(CsvPart& part) {
  if (crew_.empty()) {
    if (threads_ < 2 || !worth_threads_ || reader_.ended()) return read_and_parse(part);
    for (std::size_t i = 0; i < threads_; ++i) crew_.emplace_back([this] { work(); });
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !under_way_.empty() && under_way_.front()->done; });
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
  worth_threads_ = worth_threads_ || reader_.is_full(chunk_);
  parse_chunk(chunk_, layout_, part);
  return true;
}

/// What each thread does: takes its turn at reading, and parses what it read.
void CsvParts::work() {
  CsvChunk chunk;
  for (bool more = true; more;) {
    Slot* slot = nullptr;
    std::exception_ptr error;
    try {
      {
        const std::lock_guard turn(reading_);
        slot = begin_slot();
        if (!slot) return;
        more = reader_.next(chunk);
        const std::lock_guard lock(mutex_);
        slot->bytes = more ? chunk.text().size() : 0;
        bytes_ += slot->bytes;
        no_more_ = no_more_ || !more;
      }
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
  }
}

/// A place behind all others, when there is room; null when no more is wanted.
CsvParts::Slot* CsvParts::begin_slot() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] {
    return no_more_ || under_way_.empty() ||
           (under_way_.size() < threads_ + 2 && bytes_ < bytes_under_way);
  });
  if (no_more_) return nullptr;
  if (spare_.empty()) spare_.push_back(std::make_unique<Slot>());
  under_way_.push_back(std::move(spare_.back()));
  spare_.pop_back();
  under_way_.back()->done = false;
  return under_way_.back().get();
}

void CsvParts::stop() {
  {
    const std::lock_guard lock(mutex_);
    no_more_ = true;
  }
  reader_.give_up();
  changed_.notify_all();
  for (std::thread& thread : crew_) thread.join();
  crew_.clear();
  under_way_.clear();
  spare_.clear();
  bytes_ = 0;
  no_more_ = false;
  worth_threads_ = false;
}

}  // namespace thalweg
