// Unpacks gzip by zlib and zstd by its own library, while bytes are asked for.
#include "unpack.hpp"

#include <thalweg/core/error.hpp>

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace thalweg {
namespace {

constexpr std::size_t chunk = 1U << 16U;

constexpr std::string_view gzip_magic = "\x1f\x8b";
constexpr std::string_view zstd_magic = "\x28\xb5\x2f\xfd";
constexpr std::string_view skippable_tail = "\x2a\x4d\x18";  // behind a byte from 0x50 to 0x5f

/// Do they agree as far as both go?
bool may_become(std::string_view beginning, std::string_view magic) {
  const std::size_t both = std::min(beginning.size(), magic.size());
  return beginning.substr(0, both) == magic.substr(0, both);
}

bool may_be_zstd(std::string_view beginning) {
  if (may_become(beginning, zstd_magic)) return true;
  return (static_cast<unsigned char>(beginning.front()) & 0xf0U) == 0x50U &&
         may_become(beginning.substr(1), skippable_tail);
}

/// One way of unpacking. Takes from `from` what it can use and fills `into` as far as that goes.
class Unpacker {
 public:
  struct Progress {
    std::size_t used;
    std::size_t made;
  };
  Unpacker() = default;
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;
  virtual ~Unpacker() = default;
  virtual Progress step(std::string_view from, char* into, std::size_t room) = 0;
  virtual bool between() const = 0;  // no member is open: the data may end here
  virtual const char* what() const = 0;
};

class Gzip final : public Unpacker {
 public:
  explicit Gzip(std::string name) : name_(std::move(name)) {
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) throw std::bad_alloc();
  }
  ~Gzip() override { inflateEnd(&stream_); }

  Progress step(std::string_view from, char* into, std::size_t room) override {
    if (between_) {
      // Writers of tapes and blocks fill up with zeros; anything else is another member.
      const std::size_t zeros = std::min(from.find_first_not_of('\0'), from.size());
      if (zeros > 0) return {zeros, 0};
      if (!gzip_magic.starts_with(from.front()))
        throw Error(name_ +
                    ": bytes behind the gzip data that are no gzip (unpack the file with gunzip)");
      inflateReset(&stream_);
      between_ = false;
    }
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(from.data()));  // zlib only reads
    stream_.avail_in = static_cast<uInt>(from.size());
    stream_.next_out = reinterpret_cast<Bytef*>(into);
    stream_.avail_out = static_cast<uInt>(room);
    const int answer = inflate(&stream_, Z_NO_FLUSH);
    if (answer == Z_MEM_ERROR) throw std::bad_alloc();
    if (answer != Z_OK && answer != Z_STREAM_END && answer != Z_BUF_ERROR)
      throw Error(name_ + ": damaged gzip data (" +
                  (stream_.msg ? stream_.msg : "of an unknown kind") + "; fetch the file again)");
    between_ = answer == Z_STREAM_END;
    return {from.size() - stream_.avail_in, room - stream_.avail_out};
  }
  bool between() const override { return between_; }
  const char* what() const override { return "gzip"; }

 private:
  std::string name_;
  z_stream stream_{};
  bool between_ = false;
};

class Zstd final : public Unpacker {
 public:
  explicit Zstd(std::string name) : name_(std::move(name)), stream_(ZSTD_createDStream()) {
    if (!stream_) throw std::bad_alloc();
  }
  ~Zstd() override { ZSTD_freeDStream(stream_); }

  Progress step(std::string_view from, char* into, std::size_t room) override {
    ZSTD_inBuffer in{from.data(), from.size(), 0};
    ZSTD_outBuffer out{into, room, 0};
    const std::size_t answer = ZSTD_decompressStream(stream_, &out, &in);
    if (ZSTD_isError(answer) != 0U) refuse(answer);
    between_ = answer == 0;
    return {in.pos, out.pos};
  }
  bool between() const override { return between_; }
  const char* what() const override { return "zstd"; }

 private:
  [[noreturn]] void refuse(std::size_t answer) const {
    const ZSTD_ErrorCode code = ZSTD_getErrorCode(answer);
    if (code == ZSTD_error_memory_allocation) throw std::bad_alloc();
    if (code == ZSTD_error_frameParameter_windowTooLarge)
      throw Error(
          name_ +
          ": zstd data with a window of more than 128 MB (pack without --long, or unpack first)");
    if (code == ZSTD_error_prefix_unknown && between_)
      throw Error(name_ +
                  ": bytes behind the zstd data that are no zstd (unpack the file with unzstd)");
    throw Error(name_ + ": damaged zstd data (" + ZSTD_getErrorName(answer) +
                "; fetch the file again)");
  }

  std::string name_;
  ZSTD_DStream* stream_;
  bool between_ = false;
};

class Unpacked final : public Bytes {
 public:
  Unpacked(std::unique_ptr<Bytes> packed, std::string name)
      : packed_(std::move(packed)), name_(std::move(name)) {}

  std::size_t read(char* into, std::size_t room) override {
    if (!decided_) decide();
    return unpacker_ ? unpack(into, room) : pass_on(into, room);
  }

  bool idle() const override { return at_ == end_ && !half_done_ && !ended_ && packed_->idle(); }
  std::uint64_t taken() const override { return packed_->taken() - (end_ - at_); }

 private:
  bool fill() {
    if (at_ == end_) at_ = end_ = 0;
    const std::size_t count = packed_->read(buffer_.data() + end_, buffer_.size() - end_);
    end_ += count;
    ended_ = count == 0;
    return !ended_;
  }

  void decide() {
    buffer_.resize(chunk);
    bool undecided = true;
    while (undecided && fill()) packing_of({buffer_.data(), end_}, &undecided);
    switch (packing_of({buffer_.data(), end_})) {
      case Packing::gzip:
        unpacker_ = std::make_unique<Gzip>(name_);
        break;
      case Packing::zstd:
        unpacker_ = std::make_unique<Zstd>(name_);
        break;
      case Packing::none:
        break;
    }
    decided_ = true;
  }

  std::size_t pass_on(char* into, std::size_t room) {
    if (at_ == end_) return ended_ ? 0 : packed_->read(into, room);
    const std::size_t count = std::min(room, end_ - at_);
    std::memcpy(into, buffer_.data() + at_, count);
    at_ += count;
    return count;
  }

  std::size_t unpack(char* into, std::size_t room) {
    for (;;) {
      if (at_ == end_ && !half_done_ && (ended_ || !fill())) {
        if (unpacker_->between()) return 0;
        throw Error(name_ + ": " + unpacker_->what() + " data end in the middle (after " +
                    std::to_string(made_) +
                    " bytes unpacked: the file is cut short, fetch it again)");
      }
      const auto [used, made] = unpacker_->step({buffer_.data() + at_, end_ - at_}, into, room);
      at_ += used;
      made_ += made;
      half_done_ = made == room && !unpacker_->between();  // more may come without more input
      if (made > 0) return made;
    }
  }

  std::unique_ptr<Bytes> packed_;
  std::string name_;
  bool decided_ = false;
  std::unique_ptr<Unpacker> unpacker_;  // none: not packed
  std::vector<char> buffer_;            // packed bytes
  std::size_t at_ = 0;
  std::size_t end_ = 0;
  bool ended_ = false;
  bool half_done_ = false;
  std::uint64_t made_ = 0;
};

}  // namespace

Packing packing_of(std::string_view beginning, bool* undecided) {
  const bool gzip = beginning.empty() || may_become(beginning, gzip_magic);
  const bool zstd = beginning.empty() || may_be_zstd(beginning);
  const bool enough = beginning.size() >= (gzip ? gzip_magic.size() : zstd_magic.size());
  if (undecided) *undecided = (gzip || zstd) && !enough;
  if (!enough) return Packing::none;
  return gzip ? Packing::gzip : zstd ? Packing::zstd : Packing::none;
}

std::unique_ptr<Bytes> unpacked(std::unique_ptr<Bytes> packed, std::string name) {
  return std::make_unique<Unpacked>(std::move(packed), std::move(name));
}

}  // namespace thalweg
