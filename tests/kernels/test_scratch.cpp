// Scratch paper: aligned, large enough, one for each thread.
#include <thalweg/kernels/scratch.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>

namespace {

using thalweg::kernels::scratch;

TEST(Scratch, is_aligned_and_writable) {
  for (const std::size_t count : {1U, 7U, 100U, 10000U, 50U}) {
    double* paper = scratch(count);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(paper) % 64, 0U);
    for (std::size_t i = 0; i < count; ++i) paper[i] = 1;
  }
}

TEST(Scratch, is_not_allocated_twice) {
  double* large = scratch(5000);
  EXPECT_EQ(scratch(4000), large);
  EXPECT_EQ(scratch(5000), large);
}

TEST(Scratch, belongs_to_one_thread) {
  double* mine = scratch(10);
  double* theirs = nullptr;
  std::thread([&theirs] { theirs = scratch(10); }).join();
  EXPECT_NE(mine, theirs);
}

}  // namespace
