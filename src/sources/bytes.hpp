// Where the bytes of a text source come from: a file, standard input, or any std::istream.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>

namespace thalweg {

/// Thrown out of a read that was called off while it waited.
struct ReadStopped {};

class Bytes {
 public:
  virtual ~Bytes() = default;

  /// Waits for at least one byte; 0 at the end.
  virtual std::size_t read(char* into, std::size_t room) = 0;

  /// Would `read` have to wait? Then rows that are there should go their way first.
  virtual bool idle() const { return false; }
};

/// What is known of an input before it is opened (opening a FIFO would wait for its writer).
struct Input {
  std::string path;
  std::string name;                   // for messages
  std::optional<std::uint64_t> size;  // of a regular file
  bool rewindable = false;
};

/// "-" is standard input. What is not there, and directories, are refused.
Input find_input(const std::string& path);

/// `stop`, if given, is asked several times a second while a read waits; true calls it off. Regular files may begin at an offset.
std::unique_ptr<Bytes> open_bytes(const Input& input, const std::function<bool()>& stop = {},
                                  std::uint64_t offset = 0);
std::unique_ptr<Bytes> stream_bytes(std::istream& in);

}  // namespace thalweg
