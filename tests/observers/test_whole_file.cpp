// A file is written whole or not at all: full disks and locked folders leave the old one, and nothing beside it.
#include "observers/whole_file.hpp"
#include <thalweg/core/error.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace test_whole_file {

using namespace thalweg;
namespace fs = std::filesystem;

class WholeFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "thalweg-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    path_ = (folder_ / "model.json").string();
  }
  void TearDown() override {
    ::chmod(folder_.c_str(), 0700);
    fs::remove_all(folder_);
  }

  static std::string content(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  long files() const { return std::distance(fs::directory_iterator(folder_), {}); }

  fs::path folder_;
  std::string path_;
};

/// No file may grow beyond `bytes`, as on a full disk, while this lives.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
  void (*handler_)(int);
};

TEST_F(WholeFile, ReplacesTheOldOne) {
  write_whole(path_, "old");
  write_whole(path_, std::string("new\0er", 6));
  EXPECT_EQ(content(path_), std::string("new\0er", 6));
  EXPECT_EQ(files(), 1);
  write_whole(path_, "");
  EXPECT_EQ(content(path_), "");
}

TEST_F(WholeFile, HasTheRightsThatTheUserAskedFor) {
  const mode_t mask = ::umask(027);
  write_whole(path_, "x");
  ::umask(mask);
  EXPECT_EQ(fs::status(path_).permissions(), fs::perms(0640));
}

TEST_F(WholeFile, AFullDiskKeepsTheOldFile) {
  write_whole(path_, "old");
  {
    const FullDisk full(1000);
    try {
      write_whole(path_, std::string(100'000, 'x'));
      ADD_FAILURE() << "written to a full disk";
    } catch (const Error& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with(path_ + ": cannot be written"))
          << error.what();
    }
  }
  EXPECT_EQ(content(path_), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(WholeFile, AFullDiskLeavesNoNewFile) {
  {
    const FullDisk full(1000);
    EXPECT_THROW(write_whole(path_, std::string(100'000, 'x')), Error);
  }
  EXPECT_EQ(files(), 0);
}

TEST_F(WholeFile, ALockedFolderKeepsTheOldFile) {
  write_whole(path_, "old");
  ::chmod(folder_.c_str(), 0555);
  const bool root = ::geteuid() == 0;  // may write anywhere: becomes somebody else for a moment
  ASSERT_TRUE(!root || ::seteuid(65534) == 0);
  EXPECT_THROW(write_whole(path_, "new"), Error);
  ASSERT_TRUE(!root || ::seteuid(0) == 0);
  EXPECT_EQ(content(path_), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(WholeFile, NoFolderAndAFolderAreRefused) {
  EXPECT_THROW(write_whole((folder_ / "none" / "model.json").string(), "x"), Error);
  EXPECT_THROW(write_whole(folder_.string(), "x"), Error);
  EXPECT_THROW(write_whole("", "x"), Error);
  EXPECT_EQ(files(), 0);
}

TEST_F(WholeFile, APipeIsWrittenAsItStands) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  std::string got;
  // A reader must be there before the writer opens; both ends in one process need no thread this way.
  const int reader = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK);
  write_whole(path_, "through");
  std::array<char, 64> buffer{};
  const ssize_t size = ::read(reader, buffer.data(), buffer.size());
  ::close(reader);
  ASSERT_GT(size, 0);
  EXPECT_EQ(std::string(buffer.data(), static_cast<std::size_t>(size)), "through");
  EXPECT_EQ(files(), 1);
}

TEST_F(WholeFile, ALinkKeepsPointing) {
  const fs::path real = folder_ / "real.json";
  write_whole(real.string(), "old");
  fs::create_symlink(real, path_);
  write_whole(path_, "new");
  EXPECT_EQ(content(path_), "new");
}

}  // namespace test_whole_file
