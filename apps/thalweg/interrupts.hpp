// Ctrl-C and SIGTERM end a fit gently; a second one quits at once.
#pragma once

namespace thalweg::app {

void catch_interrupts();
bool was_interrupted();

}  // namespace thalweg::app
