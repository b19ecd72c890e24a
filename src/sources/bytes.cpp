// Opens files, pipes and streams as bytes: reads that can be called off, looks that take nothing away.
#include "bytes.hpp"

#include "cell.hpp"
#include "unpack.hpp"
#include <thalweg/core/error.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <istream>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace thalweg {
namespace {

constexpr int wait_milliseconds = 100;

[[noreturn]] void refuse(const std::string& name, int error) {
  if (error == ENOENT) throw Error(name + ": no such file");
  throw Error(name + ": " + std::generic_category().message(error));
}

/// Closed at the end of a scope, unless it is standard input.
class Descriptor {
 public:
  /// An input that was found before and is no longer there has been removed meanwhile.
  explicit Descriptor(const Input& input, int flags = 0)
      : number_(input.path == "-" ? STDIN_FILENO
                                  : ::open(input.path.c_str(), O_RDONLY | O_CLOEXEC | flags)) {
    if (number_ >= 0) return;
    if (errno == ENOENT)
      throw Error(input.name +
                  ": vanished after it had been found (leave inputs in place until the end)");
    refuse(input.name, errno);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ != STDIN_FILENO) ::close(number_);
  }
  int number() const { return number_; }

  /// Is there something to read, or an end, within that time?
  bool ready(int milliseconds) const {
    pollfd request{.fd = number_, .events = POLLIN, .revents = 0};
    const int answer = ::poll(&request, 1, milliseconds);
    return answer > 0 || (answer < 0 && errno != EINTR);  // a signal is no data
  }

 private:
  int number_;
};

class FileBytes final : public Bytes {
 public:
  FileBytes(const Input& input, std::function<bool()> stop, std::uint64_t offset = 0)
      : input_(input), stop_(std::move(stop)), file_(input), taken_(offset) {
    if (offset > 0 && ::lseek(file_.number(), static_cast<off_t>(offset), SEEK_SET) < 0)
      refuse(input_.name, errno);
  }

  std::size_t read(char* into, std::size_t room) override {
    for (;;) {
      if (stop_ && !input_.size && !input_.follow)
        while (!file_.ready(wait_milliseconds))
          if (stop_()) throw ReadStopped();
      const ssize_t count = ::read(file_.number(), into, room);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) refuse(input_.name, errno);
      taken_ += static_cast<std::uint64_t>(count);
      if (count > 0 || !input_.follow || !wait_for_more()) return static_cast<std::size_t>(count);
    }
  }

  void skip(std::uint64_t count) override {
    if (!input_.size || ::lseek(file_.number(), static_cast<off_t>(count), SEEK_CUR) < 0)
      return Bytes::skip(count);
    taken_ += count;
  }

  bool idle() const override {
    if (input_.follow) return !grown();
    return !input_.size && !file_.ready(0);
  }
  std::uint64_t taken() const override { return taken_; }

 private:
  /// Until a followed file grows; false when it was cut, replaced or removed.
  bool wait_for_more() const {
    while (!grown()) {
      if (stop_ && stop_()) throw ReadStopped();
      if (!same_file()) return grown();  // what was written last, before it was replaced
      std::this_thread::sleep_for(std::chrono::milliseconds(wait_milliseconds));
    }
    return true;
  }

  bool grown() const {
    struct stat status {};
    return ::fstat(file_.number(), &status) == 0 && status.st_size > place();
  }

  bool same_file() const {
    struct stat opened {};
    struct stat named {};
    if (::fstat(file_.number(), &opened) != 0 || opened.st_size < place()) return false;
    if (input_.path == "-") return true;
    return ::stat(input_.path.c_str(), &named) == 0 && named.st_ino == opened.st_ino &&
           named.st_dev == opened.st_dev;
  }

  off_t place() const { return ::lseek(file_.number(), 0, SEEK_CUR); }

  Input input_;
  std::function<bool()> stop_;
  Descriptor file_;
  std::uint64_t taken_ = 0;
};

class FirstBytes final : public Bytes {
 public:
  FirstBytes(std::unique_ptr<Bytes> bytes, std::uint64_t count)
      : bytes_(std::move(bytes)), left_(count) {}

  std::size_t read(char* into, std::size_t room) override {
    const auto most = static_cast<std::size_t>(std::min<std::uint64_t>(room, left_));
    const std::size_t count = most > 0 ? bytes_->read(into, most) : 0;
    left_ -= count;
    return count;
  }
  std::uint64_t taken() const override { return bytes_->taken(); }

 private:
  std::unique_ptr<Bytes> bytes_;
  std::uint64_t left_;
};

class StreamBytes final : public Bytes {
 public:
  explicit StreamBytes(std::istream& in) : in_(in) {}

  std::size_t read(char* into, std::size_t room) override {
    in_.read(into, static_cast<std::streamsize>(room));
    const auto count = static_cast<std::size_t>(in_.gcount());
    taken_ += count;
    return count;
  }
  std::uint64_t taken() const override { return taken_; }

 private:
  std::istream& in_;
  std::uint64_t taken_ = 0;
};

/// The beginning of a packed pipe: where it breaks off, the data do not end.
class Beginning final : public Bytes {
 public:
  explicit Beginning(std::string_view text) : text_(text) {}

  std::size_t read(char* into, std::size_t room) override {
    const std::size_t count = text_.substr(taken_).copy(into, room);
    taken_ += count;
    if (count == 0) throw ReadStopped();
    return count;
  }
  std::uint64_t taken() const override { return taken_; }

 private:
  std::string_view text_;
  std::size_t taken_ = 0;
};

Packing packing_at(const Input& input, off_t start) {
  const Descriptor file(input);
  char bytes[4];
  const ssize_t count = ::pread(file.number(), bytes, sizeof bytes, start);
  return packing_of({bytes, count > 0 ? static_cast<std::size_t>(count) : 0});
}

std::string read_some(Bytes& bytes, std::size_t room) {
  std::string text(room, '\0');
  std::size_t size = 0;
  try {
    while (size < room) {
      const std::size_t count = bytes.read(text.data() + size, room - size);
      if (count == 0) break;
      size += count;
    }
  } catch (const ReadStopped&) {
  } catch (const Error&) {  // whoever reads on will come to it
  }
  text.resize(size);
  return text;
}

/// A pipe without a name can be opened again while it is open; a FIFO whose writer has gone would wait for another.
bool has_no_name(const Input& input) {
  constexpr auto pipe_file_system = 0x50495045;
  struct statfs status {};
  return input.path == "-" ||
         (::statfs(input.path.c_str(), &status) == 0 && status.f_type == pipe_file_system);
}

/// tee(2) copies what a pipe holds and leaves it there.
Peeked peek_pipe(const Input& input, std::size_t room, const std::function<bool()>& stop) {
  const Descriptor file(input);
  int copy[2];
  if (::pipe2(copy, O_CLOEXEC) != 0) return {.text = {}, .packing = Packing::none};
  std::string text;
  while (!file.ready(wait_milliseconds))
    if (stop && stop()) break;
  if (file.ready(0)) {
    const ssize_t there = ::tee(file.number(), copy[1], 1U << 16U, SPLICE_F_NONBLOCK);
    if (there > 0) {
      text.resize(static_cast<std::size_t>(there));
      const ssize_t count = ::read(copy[0], text.data(), text.size());
      text.resize(count > 0 ? static_cast<std::size_t>(count) : 0);
    }
  }
  ::close(copy[0]);
  ::close(copy[1]);
  return {.text = read_some(*unpacked(std::make_unique<Beginning>(text), input.name), room),
          .packing = packing_of(text)};
}

}  // namespace

void Bytes::skip(std::uint64_t count) {
  std::vector<char> ignored(std::min<std::uint64_t>(count, 1U << 16U));
  while (count > 0) {
    const std::size_t passed = read(ignored.data(), std::min<std::uint64_t>(count, ignored.size()));
    if (passed == 0) throw Error("an input is shorter than when it was read before");
    count -= passed;
  }
}

Input find_input(const std::string& path, bool follow) {
  const bool standard = path == "-";
  const std::string shown = path.empty() ? "\"\"" : printable(path);
  Input input{.path = path, .name = standard ? "<stdin>" : shown, .size = {}};
  struct stat status {};
  if ((standard ? ::fstat(STDIN_FILENO, &status) : ::stat(path.c_str(), &status)) != 0)
    refuse(input.name, errno);
  if (S_ISDIR(status.st_mode)) throw Error(input.name + ": is a directory, expected a file");
  if (!S_ISREG(status.st_mode)) return input;
  const off_t start = standard ? ::lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
  input.compressed = packing_at(input, start) != Packing::none;
  input.follow = follow;
  if (follow) return input;
  input.rewindable = !standard;
  if (start >= 0 && start <= status.st_size)
    input.size = static_cast<std::uint64_t>(status.st_size - start);
  return input;
}

std::unique_ptr<Bytes> open_bytes(const Input& input, const std::function<bool()>& stop,
                                  std::uint64_t offset) {
  auto bytes = std::make_unique<FileBytes>(input, stop, offset);
  if (input.size && !input.compressed) return bytes;
  return unpacked(std::move(bytes), input.name);
}

std::unique_ptr<Bytes> stream_bytes(std::istream& in) { return std::make_unique<StreamBytes>(in); }

std::unique_ptr<Bytes> first_bytes(std::unique_ptr<Bytes> bytes, std::uint64_t count) {
  return std::make_unique<FirstBytes>(std::move(bytes), count);
}

Peeked peek(const Input& input, std::size_t room, const std::function<bool()>& stop) {
  struct stat status {};
  const bool standard = input.path == "-";
  if ((standard ? ::fstat(STDIN_FILENO, &status) : ::stat(input.path.c_str(), &status)) != 0)
    refuse(input.name, errno);
  if (S_ISFIFO(status.st_mode)) return has_no_name(input) ? peek_pipe(input, room, stop) : Peeked{};
  if (!S_ISREG(status.st_mode)) return {};
  const off_t start = standard ? ::lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
  Input again = input;
  again.follow = false;
  again.size = 0;  // what is there now, without waiting
  Peeked peeked;
  peeked.packing = packing_at(input, start);
  peeked.text = read_some(*unpacked(std::make_unique<FileBytes>(again, nullptr), input.name), room);
  if (standard) ::lseek(STDIN_FILENO, start, SEEK_SET);
  return peeked;
}

}  // namespace thalweg
