// Ctrl-C and SIGTERM end a fit gently; a second one quits at once.
#pragma once

#include <thalweg/core/error.hpp>

namespace thalweg::app {

void catch_interrupts();
bool was_interrupted();

/// Ctrl-C came before there was anything to keep.
class Interrupted : public Error {
 public:
  using Error::Error;
};

/// Runs `work`; an Error that an interrupt brought about becomes Interrupted.
template <class Work>
auto unless_interrupted(Work&& work) {
  try {
    return work();
  } catch (const RowError&) {
    throw;
  } catch (const Error& error) {
    if (was_interrupted()) throw Interrupted(error.message());
    throw;
  }
}

}  // namespace thalweg::app
