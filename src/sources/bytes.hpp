// Where the bytes of a source come from: a file, standard input, or any std::istream; packed ones are unpacked on the way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace thalweg {

enum class Packing;  // see unpack.hpp

inline constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";  // before UTF-8 text

/// Thrown out of a read that was called off while it waited.
struct ReadStopped {};

class Bytes {
 public:
  virtual ~Bytes() = default;

  /// Waits for at least one byte; 0 at the end.
  virtual std::size_t read(char* into, std::size_t room) = 0;

  /// Passes over so many bytes; an input that ends before is an Error.
  virtual void skip(std::uint64_t count);

  /// Would `read` have to wait? Then rows that are there should go their way first.
  virtual bool idle() const { return false; }

  /// How far into the input this is, in its own bytes: before they were unpacked.
  virtual std::uint64_t taken() const = 0;
};

/// What is known of an input before it is opened (opening a FIFO would wait for its writer).
struct Input {
  std::string path;
  std::string name;                   // for messages
  std::optional<std::uint64_t> size;  // of a regular file, as it lies there
  bool rewindable = false;
  bool compressed =
      false;            // a regular file of gzip or zstd data: what it gives is not what it holds
  bool follow = false;  // wait at the end for what is appended
};

/// "-" is standard input. What is not there, and directories, are refused. A file that is followed is like a pipe: its size
/// is unknown and it cannot be rewound.
Input find_input(const std::string& path, bool follow = false);

/// `stop`, if given, is asked several times a second while a read waits; true calls it off. gzip and zstd data are
/// recognised by content, in pipes too. Plain files may begin at an offset.
std::unique_ptr<Bytes> open_bytes(const Input& input, const std::function<bool()>& stop = {},
                                  std::uint64_t offset = 0);
std::unique_ptr<Bytes> stream_bytes(std::istream& in);

/// No more than the first so many of them.
std::unique_ptr<Bytes> first_bytes(std::unique_ptr<Bytes> bytes, std::uint64_t count);

/// The first bytes, unpacked, without taking them away from whoever reads next: at least one if there are any, at most
/// `room`. Nothing where that is impossible (a FIFO with a name, a terminal, a socket).
struct Peeked {
  std::string text;
  Packing packing{};
};
Peeked peek(const Input& input, std::size_t room, const std::function<bool()>& stop = {});

}  // namespace thalweg
