// From a learner that lives long to the listener of the call under way, if it has one.
#pragma once

#include "learner.hpp"
#include "listener.hpp"

#include <utility>

namespace thalweg::python {

/// Portions come with a listener or without; a Learner is watched by one and the same observer.
class Relay final : public Observer {
 public:
  void on(const Step& step) override {
    if (listener_) listener_->on(step);
  }

  /// While it lives, the listener is told of what the learner learns.
  class Turn {
   public:
    Turn(Relay& relay, Listener* listener, Learner& learner) : relay_(relay) {
      if (listener && !std::exchange(relay.watches_, true)) learner.watch(relay);
      relay.listener_ = listener;
    }
    ~Turn() { relay_.listener_ = nullptr; }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

   private:
    Relay& relay_;
  };

 private:
  Listener* listener_ = nullptr;
  bool watches_ = false;
};

}  // namespace thalweg::python
