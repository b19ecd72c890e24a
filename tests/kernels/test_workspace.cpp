// workspace: aligned, large enough, one for each thread, sheets that nest.
#include <thalweg/kernels/workspace.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

namespace test_workspace {

using thalweg::kernels::Workspace;

TEST(Workspace, is_aligned_and_writable) {
  for (const std::size_t count : {1U, 7U, 100U, 10000U, 50U}) {
    const Workspace workspace(count);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(workspace.data()) % 64, 0U);
    for (std::size_t i = 0; i < count; ++i) workspace.data()[i] = 1;
  }
}

double* place(std::size_t count) { return Workspace(count).data(); }

TEST(Workspace, is_not_allocated_twice) {
  double* large = place(50'000);
  EXPECT_EQ(place(40'000), large);
  EXPECT_EQ(place(50'000), large);
}

TEST(Workspace, belongs_to_one_thread) {
  const Workspace mine(10);
  double* theirs = nullptr;
  std::thread([&theirs] { theirs = place(10); }).join();
  EXPECT_NE(mine.data(), theirs);
}

/// Each deeper sheet is larger, so that chunks are left behind and found again; twice, since the second time nothing is allocated.
TEST(Workspace, sheets_nest) {
  for (int round = 0; round < 2; ++round) {
    std::vector<std::unique_ptr<Workspace>> sheets;
    for (std::size_t depth = 0; depth < 8; ++depth) {
      const std::size_t count = std::size_t{10} << (2 * depth);
      sheets.push_back(std::make_unique<Workspace>(count));
      std::fill_n(sheets.back()->data(), count, static_cast<double>(depth));
    }
    while (!sheets.empty()) {
      const std::size_t depth = sheets.size() - 1;
      const std::size_t count = std::size_t{10} << (2 * depth);
      EXPECT_EQ(std::count(sheets.back()->data(), sheets.back()->data() + count,
                           static_cast<double>(depth)),
                static_cast<std::ptrdiff_t>(count));
      sheets.pop_back();
    }
  }
}

}  // namespace test_workspace
