#include "bytes.hpp"

#include "cell.hpp"
#include <thalweg/core/error.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <istream>
#include <system_error>
#include <utility>

namespace thalweg {
namespace {

[[noreturn]] void refuse(const std::string& name, int error) {
  if (error == ENOENT) throw Error(name + ": no such file");
  throw Error(name + ": " + std::generic_category().message(error));
}

class FileBytes final : public Bytes {
 public:
  FileBytes(const Input& input, std::function<bool()> stop, std::uint64_t offset)
      : name_(input.name),
        waits_(!input.size),
        stop_(std::move(stop)),
        file_(input.path == "-" ? STDIN_FILENO : ::open(input.path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_ < 0) refuse(name_, errno);
    if (offset > 0 && ::lseek(file_, static_cast<off_t>(offset), SEEK_SET) < 0)
      refuse(name_, errno);
  }
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;
  ~FileBytes() override {
    if (file_ != STDIN_FILENO) ::close(file_);
  }

  std::size_t read(char* into, std::size_t room) override {
    for (;;) {
      if (stop_ && waits_)
        while (!ready(wait_milliseconds))
          if (stop_()) throw ReadStopped();
      const ssize_t count = ::read(file_, into, room);
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) refuse(name_, errno);
    }
  }

  bool idle() const override { return waits_ && !ready(0); }

 private:
  static constexpr int wait_milliseconds = 100;

  bool ready(int milliseconds) const {
    pollfd request{.fd = file_, .events = POLLIN, .revents = 0};
    const int answer = ::poll(&request, 1, milliseconds);
    return answer > 0 || (answer < 0 && errno != EINTR);  // a signal is no data
  }

  std::string name_;
  bool waits_;  // pipes and terminals may have nothing to read yet
  std::function<bool()> stop_;
  int file_;
};

class StreamBytes final : public Bytes {
 public:
  explicit StreamBytes(std::istream& in) : in_(in) {}

  std::size_t read(char* into, std::size_t room) override {
    in_.read(into, static_cast<std::streamsize>(room));
    return static_cast<std::size_t>(in_.gcount());
  }

 private:
  std::istream& in_;
};

}  // namespace

Input find_input(const std::string& path) {
  const bool standard = path == "-";
  const std::string shown = path.empty() ? "\"\"" : printable(path);
  Input input{.path = path, .name = standard ? "<stdin>" : shown, .size = {}};
  struct stat status {};
  if ((standard ? ::fstat(STDIN_FILENO, &status) : ::stat(path.c_str(), &status)) != 0)
    refuse(input.name, errno);
  if (S_ISDIR(status.st_mode)) throw Error(input.name + ": is a directory, expected a file");
  if (!S_ISREG(status.st_mode)) return input;
  input.rewindable = !standard;
  const off_t start = standard ? ::lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
  if (start >= 0 && start <= status.st_size)
    input.size = static_cast<std::uint64_t>(status.st_size - start);
  return input;
}

std::unique_ptr<Bytes> open_bytes(const Input& input, const std::function<bool()>& stop,
                                  std::uint64_t offset) {
  return std::make_unique<FileBytes>(input, stop, offset);
}

std::unique_ptr<Bytes> stream_bytes(std::istream& in) { return std::make_unique<StreamBytes>(in); }

}  // namespace thalweg
