// A temporary file beside the target, flushed and renamed.
#include "whole_file.hpp"

#include <thalweg/core/error.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace thalweg {
namespace {

/// The temporary file beside the target; removed unless it was renamed.
class Temporary {
 public:
  Temporary(std::string target, const std::string& path)
      : target_(std::move(target)), path_(path.empty() ? target_ + ".XXXXXX" : path) {
    constexpr int anew = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC;
    descriptor_ = path.empty() ? ::mkstemp(path_.data()) : ::open(path_.c_str(), anew, 0600);
    if (descriptor_ < 0) fail();
  }
  ~Temporary() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!path_.empty()) ::unlink(path_.c_str());
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  void write(const std::string& content) const {
    for (std::size_t done = 0; done < content.size();) {
      const ssize_t written = ::write(descriptor_, content.data() + done, content.size() - done);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) fail();
      done += static_cast<std::size_t>(written);
    }
  }

  void become_target() {
    if (::fchmod(descriptor_, mode()) != 0 || ::fsync(descriptor_) != 0) fail();
    if (::rename(path_.c_str(), target_.c_str()) != 0) fail();
    path_.clear();
    const std::string folder = std::filesystem::path(target_).parent_path().string();
    const int directory = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY);
    if (directory >= 0) {
      ::fsync(directory);
      ::close(directory);
    }
  }

 private:
  /// That of the file which is replaced, else what a new file gets.
  mode_t mode() const {
    struct stat old {};
    if (::stat(target_.c_str(), &old) == 0) return old.st_mode & 07777U;
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return 0666U & ~mask;
  }

  [[noreturn]] void fail() const {
    throw Error(target_ + ": cannot be written: " + std::strerror(errno));
  }

  std::string target_;
  std::string path_;
  int descriptor_ = -1;
};

}  // namespace

void write_whole(const std::string& path, const std::string& content,
                 const std::string& temporary) {
  // A pipe or device (/dev/stdout) cannot be replaced; it is written as it stands.
  std::error_code ignored;
  const auto status = std::filesystem::status(path, ignored);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    if (std::filesystem::is_directory(status)) throw Error(path + ": is a directory");
    FILE* file = std::fopen(path.c_str(), "w");
    if (!file) throw Error(path + ": cannot be written: " + std::strerror(errno));
    const bool written = std::fwrite(content.data(), 1, content.size(), file) == content.size();
    if (std::fclose(file) != 0 || !written)
      throw Error(path + ": cannot be written: " + std::strerror(errno));
    return;
  }
  // A link stays a link: what it points to is replaced.
  const bool linked = std::filesystem::is_symlink(std::filesystem::symlink_status(path, ignored));
  Temporary file(linked ? std::filesystem::weakly_canonical(path).string() : path, temporary);
  file.write(content);
  file.become_target();
}

}  // namespace thalweg
