// --checkpoint and --resume: when the state of a fit is saved, and how it goes on from one.
#pragma once

#include "fit_flags.hpp"
#include <thalweg/catalogue/fitted.hpp>
#include <thalweg/observers/checkpoint.hpp>
#include <thalweg/observers/trace.hpp>

namespace thalweg::app {

class FitCheckpoint {
 public:
  FitCheckpoint(const FitFlags& flags, const Fitted& prototype);

  /// To be called before the fit runs: goes on from the file where that is asked for. Both must stay where they are.
  void attach(Fit& fit, Trace& trace);

  /// Between blocks and iterations. A disk that is full is no reason to lose the fit: it is said, and the last checkpoint stays.
  void rest(bool stopping);

  /// From where it went on: once rows went well, so that an error stays one line.
  void say();

 private:
  bool resume_;
  bool quiet_;
  Checkpoint checkpoint_;
  std::string path_;
  const Fit* fit_ = nullptr;
  const Trace* trace_ = nullptr;
  std::string note_;
  bool complained_ = false;
};

}  // namespace thalweg::app
