// Threads that share the work of an estimator: own threads, started when first asked for, gone with the last handle.
#pragma once

#include <thalweg/export.hpp>

#include <cstddef>
#include <memory>
#include <type_traits>

namespace thalweg {

/// A handle: copies share the same threads. The default one works alone. Who does what never changes a result: work comes
/// in numbered tasks of fixed size, and what they give is put together in the order of their numbers.
class THALWEG_API ThreadPool {
 public:
  ThreadPool() = default;
  explicit ThreadPool(std::size_t threads);  // the calling thread is one of them

  std::size_t size() const;

  /// task(i) once for every i < count, on any thread; returns when all are done. An exception of a task is thrown again
  /// here. A task that itself calls run works alone.
  template <class Task>
  void run(std::size_t count, const Task& task) const {
    if (!workers_ || count < 2) {
      for (std::size_t i = 0; i < count; ++i) task(i);
      return;
    }
    using T = std::remove_cvref_t<Task>;
    share(
        count, [](const void* t, std::size_t i) { (*static_cast<const T*>(t))(i); }, &task);
  }

 private:
  class Workers;
  void share(std::size_t count, void (*call)(const void*, std::size_t), const void* task) const;

  std::shared_ptr<Workers> workers_;
};

}  // namespace thalweg
