// The parts of a text table in file order, parsed by the caller or by threads beside him: the same parts either way.
#pragma once

#include "csv_part.hpp"
#include "csv_reader.hpp"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace thalweg {

/// A bounded number of parts is under way, so that memory does not grow when the caller is slower than the threads. They
/// start with the second chunk: a short table is not worth them.
class CsvParts {
 public:
  CsvParts(CsvReader& reader, CsvLayout layout, std::size_t threads);
  CsvParts(const CsvParts&) = delete;
  CsvParts& operator=(const CsvParts&) = delete;
  ~CsvParts() { stop(); }

  const CsvLayout& layout() const { return layout_; }

  /// The next part, in exchange for one that is no longer needed. False at the end, and then `part` is as it was. An Error
  /// of the reader comes behind the parts before it.
  bool next(CsvPart& part);

  /// Ends the threads and forgets the parts under way; the reader can be moved then.
  void stop();

 private:
  struct Slot {
    CsvPart part;
    std::size_t bytes = 0;  // of the text
    bool done = false;
    bool end = false;
    std::exception_ptr error;
  };

  bool read_and_parse(CsvPart& part);
  void work();
  bool parse_one(CsvChunk& chunk, std::unique_lock<std::mutex> turn);
  Slot* begin_slot();
  bool has_room() const;
  bool front_is_done() const { return !under_way_.empty() && under_way_.front()->done; }

  CsvReader& reader_;
  CsvLayout layout_;
  std::size_t threads_;  // that parse at the same time
  bool
      caller_helps_;  // one of them is the caller, who would wait for a pipe longer than for its part
  CsvChunk chunk_;    // the caller's
  std::size_t alone_ = 0;  // bytes that were parsed without threads

  std::mutex reading_;  // held while a chunk is read: one after the other
  std::mutex mutex_;    // of all below
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Slot>> under_way_;  // in file order
  std::vector<std::unique_ptr<Slot>> spare_;
  std::size_t bytes_ = 0;  // under way
  bool no_more_ = false;   // nothing to read, or nobody to read it for
  std::vector<std::thread> pool_;
};

}  // namespace thalweg
