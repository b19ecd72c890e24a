// Threads that share numbered pieces of work.
#include <thalweg/core/thread_pool.hpp>

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace thalweg {
namespace {

thread_local bool inside_a_task = false;

}  // namespace

class ThreadPool::Workers {
 public:
  explicit Workers(std::size_t threads) : wanted_(threads) {}
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() {
    {
      const std::lock_guard lock(mutex_);
      leaving_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  std::size_t size() const { return wanted_; }

  void run(std::size_t count, void (*call)(const void*, std::size_t), const void* task) {
    if (inside_a_task) {
      for (std::size_t i = 0; i < count; ++i) call(task, i);
      return;
    }
    const std::lock_guard one_at_a_time(entrance_);
    std::unique_lock lock(mutex_);
    while (threads_.size() + 1 < wanted_) threads_.emplace_back([this] { serve(); });
    call_ = call;
    task_ = task;
    count_ = count;
    next_ = 0;
    running_ = 0;
    failure_ = nullptr;
    wake_.notify_all();
    work(lock);
    finished_.wait(lock, [this] { return running_ == 0; });
    count_ = 0;
    // Who is told of a failure is the last to hold it: the next caller must not be the one who frees it.
    if (std::exception_ptr failure = std::exchange(failure_, nullptr)) {
      lock.unlock();
      std::rethrow_exception(std::move(failure));
    }
  }

 private:
  void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [this] { return leaving_ || next_ < count_; });
      if (leaving_) return;
      work(lock);
    }
  }

  /// Takes tasks while there are any; the lock is open during a task.
  void work(std::unique_lock<std::mutex>& lock) {
    while (next_ < count_) {
      const std::size_t i = next_++;
      ++running_;
      lock.unlock();
      inside_a_task = true;
      std::exception_ptr failure;
      try {
        call_(task_, i);
      } catch (...) {
        failure = std::current_exception();
      }
      inside_a_task = false;
      lock.lock();
      if (failure && !failure_) failure_ = std::move(failure);
      if (--running_ == 0 && next_ >= count_) finished_.notify_all();
    }
  }

  const std::size_t wanted_;
  std::mutex entrance_;  // one run at a time
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable finished_;
  std::vector<std::thread> threads_;
  bool leaving_ = false;
  void (*call_)(const void*, std::size_t) = nullptr;
  const void* task_ = nullptr;
  std::size_t count_ = 0;
  std::size_t next_ = 0;
  std::size_t running_ = 0;
  std::exception_ptr failure_;
};

ThreadPool::ThreadPool(std::size_t threads) {
  if (threads > 1) workers_ = std::make_shared<Workers>(threads);
}

std::size_t ThreadPool::size() const { return workers_ ? workers_->size() : 1; }

void ThreadPool::share(std::size_t count, void (*call)(const void*, std::size_t),
                       const void* task) const {
  workers_->run(count, call, task);
}

}  // namespace thalweg
