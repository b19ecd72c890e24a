// Ctrl-C as a question that a fit asks now and then.
#include "interrupts.hpp"

#include <csignal>

namespace thalweg::app {
namespace {

volatile std::sig_atomic_t interrupts = 0;

extern "C" void on_interrupt(int signal) {
  interrupts = interrupts + 1;
  if (interrupts > 1) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

}  // namespace

void catch_interrupts() {
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
}

bool was_interrupted() { return interrupts > 0; }

}  // namespace thalweg::app
