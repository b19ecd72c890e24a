// A lock that a thread cannot wait for while it holds it: a callback that asks the estimator which is calling it is told so.
#pragma once

#include "own_model.hpp"
#include <thalweg/core/error.hpp>

#include <atomic>
#include <memory>
#include <mutex>
#include <thread>

namespace thalweg::python {

class Turns {
 public:
  std::shared_ptr<OwnCalls> own;  // null for a model of the catalogue

  void lock() {
    if (own && own->inside())  // perhaps on a thread of the pool
      throw Error(own->name() + " asks the estimator that is calling it (use the arguments)");
    if (holder_.load() == std::this_thread::get_id())
      throw Error(
          "the estimator is learning just now: in on_step ask the step, step.parameters(), and in "
          "an iterator of blocks ask it before or after");
    mutex_.lock();
    holder_ = std::this_thread::get_id();
  }
  void unlock() {
    holder_ = std::thread::id();
    mutex_.unlock();
  }

 private:
  std::mutex mutex_;
  std::atomic<std::thread::id> holder_;
};

}  // namespace thalweg::python
