// A pool does every task once, whoever does it, and is none the worse for tasks that throw or call it again.
#include <thalweg/core/thread_pool.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

namespace test_thread_pool {

using namespace thalweg;

std::vector<int> times_done(const ThreadPool& pool, std::size_t count) {
  std::vector<std::atomic<int>> done(count);
  pool.run(count, [&](std::size_t i) { ++done[i]; });
  return {done.begin(), done.end()};
}

TEST(ThreadPool, does_every_task_once) {
  for (const std::size_t threads : {0U, 1U, 2U, 3U, 8U}) {
    const ThreadPool pool(threads);
    EXPECT_EQ(pool.size(), std::max<std::size_t>(threads, 1));
    for (const std::size_t count : {0U, 1U, 2U, 3U, 7U, 1000U})
      EXPECT_EQ(times_done(pool, count), std::vector<int>(count, 1)) << threads << " " << count;
  }
  EXPECT_EQ(ThreadPool().size(), 1U);
  EXPECT_EQ(times_done(ThreadPool(), 5), std::vector<int>(5, 1));
}

TEST(ThreadPool, works_with_as_many_threads_as_asked) {
  const ThreadPool pool(3);
  std::mutex mutex;
  std::set<std::thread::id> seen;
  std::atomic<int> arrived = 0;
  pool.run(3, [&](std::size_t) {  // each waits for the two others: one thread alone would hang
    ++arrived;
    while (arrived < 3) std::this_thread::yield();
    const std::lock_guard lock(mutex);
    seen.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(seen.size(), 3U);
  EXPECT_EQ(seen.count(std::this_thread::get_id()), 1U) << "the caller is one of them";
}

TEST(ThreadPool, is_used_again_many_times) {
  const ThreadPool pool(4);
  std::atomic<std::size_t> sum = 0;
  for (std::size_t round = 0; round < 5000; ++round)
    pool.run(1 + round % 5, [&](std::size_t i) { sum += i + 1; });
  EXPECT_EQ(sum, 1000U * (1 + 3 + 6 + 10 + 15));
}

TEST(ThreadPool, throws_again_what_a_task_threw) {
  for (const std::size_t threads : {1U, 2U, 8U}) {
    const ThreadPool pool(threads);
    for (int round = 0; round < 50; ++round) {
      try {
        pool.run(20, [](std::size_t i) {
          if (i == 13) throw std::runtime_error("thirteen");
        });
        FAIL() << "nothing thrown";
      } catch (const std::runtime_error& error) {
        EXPECT_STREQ(error.what(), "thirteen");
      }
      EXPECT_EQ(times_done(pool, 20), std::vector<int>(20, 1)) << "the crew goes on";
    }
    EXPECT_THROW(pool.run(20, [](std::size_t) { throw 1; }), int) << "all of them at once";
  }
}

TEST(ThreadPool, a_task_that_calls_the_pool_works_alone) {
  const ThreadPool pool(4);
  const ThreadPool another(2);
  std::atomic<int> inner = 0;
  pool.run(10, [&](std::size_t) {
    const auto here = std::this_thread::get_id();
    pool.run(10, [&](std::size_t) {
      EXPECT_EQ(std::this_thread::get_id(), here);
      ++inner;
    });
    another.run(10, [&](std::size_t) { ++inner; });
  });
  EXPECT_EQ(inner, 200);
}

TEST(ThreadPool, an_exception_of_an_inner_run_comes_out) {
  const ThreadPool pool(3);
  EXPECT_THROW(pool.run(4,
                        [&](std::size_t) {
                          pool.run(4, [](std::size_t i) {
                            if (i == 2) throw std::logic_error("inner");
                          });
                        }),
               std::logic_error);
  // A task that caught it goes on as a task: its next call of the pool still works alone.
  std::atomic<int> done = 0;
  pool.run(4, [&](std::size_t) {
    try {
      pool.run(2, [](std::size_t) { throw 1; });
    } catch (int) {
    }
    pool.run(3, [&](std::size_t) { ++done; });
  });
  EXPECT_EQ(done, 12);
}

TEST(ThreadPool, serves_several_callers_at_once) {
  const ThreadPool pool(3);
  std::vector<std::thread> hosts;
  std::atomic<int> wrong = 0;
  for (int host = 0; host < 4; ++host)
    hosts.emplace_back([&, copy = pool] {  // copies share the threads
      for (int round = 0; round < 300; ++round)
        if (times_done(copy, 9) != std::vector<int>(9, 1)) ++wrong;
    });
  for (std::thread& host : hosts) host.join();
  EXPECT_EQ(wrong, 0);
}

TEST(ThreadPool, callers_that_fail_do_not_disturb_the_others) {
  const ThreadPool pool(3);
  std::atomic<int> caught = 0;
  std::atomic<int> wrong = 0;
  std::thread failing([&] {
    for (int round = 0; round < 300; ++round) try {
        pool.run(5, [](std::size_t i) {
          if (i == 3) throw 3;
        });
      } catch (int) {
        ++caught;
      }
  });
  for (int round = 0; round < 300; ++round)
    if (times_done(pool, 9) != std::vector<int>(9, 1)) ++wrong;
  failing.join();
  EXPECT_EQ(caught, 300);
  EXPECT_EQ(wrong, 0);
}

TEST(ThreadPool, leaves_with_its_last_handle) {
  for (int round = 0; round < 50; ++round) {
    ThreadPool kept;
    {
      const ThreadPool pool(4);
      if (round % 2 == 0) times_done(pool, 8);  // or threads that were never started
      kept = pool;
    }
    EXPECT_EQ(times_done(kept, 8), std::vector<int>(8, 1));
  }
}

}  // namespace test_thread_pool
