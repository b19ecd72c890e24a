// Saves the state of a fit now and then, so that a killed one can go on: whole files only, each in the place of the last.
#pragma once

#include <thalweg/core/archive.hpp>
#include <thalweg/core/step.hpp>
#include <thalweg/export.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg {

/// After so many rows (those of every pass and iteration count), or so many seconds.
struct THALWEG_API CheckpointPace {
  std::uint64_t rows = 0;  // 0: by the clock
  double seconds = 30;

  static CheckpointPace parse(std::string_view text);  // "100000" or "10s"; else a UsageError
};

class THALWEG_API Checkpoint final : public Observer {
 public:
  /// `settings`: what the run was asked for, a line each; `usual`: what these lines are where nothing is asked for, which is so in a
  /// file that was written before there was such a setting; `before`: lines of earlier versions that mean the same as ours. A file
  /// that is no checkpoint is not overwritten: an Error.
  Checkpoint(std::string path, CheckpointPace pace, std::vector<std::string> settings,
             std::vector<std::string> usual = {}, std::vector<std::string> before = {});

  void on(const Step& step) override { rows_ += step.batch_rows; }

  bool due() const;

  /// To a temporary file, then in the place of the last checkpoint.
  void write(Archive state);

  /// The state that is in the file. Settings that are not the same are an Error that names the first of them.
  Archive read() const;
  bool exists() const;

 private:
  using Clock = std::chrono::steady_clock;

  std::string path_;
  CheckpointPace pace_;
  std::vector<std::string> settings_;
  std::vector<std::string> usual_;
  std::vector<std::string> before_;
  std::uint64_t rows_ = 0;  // since the last one
  Clock::time_point written_ = Clock::now();
};

}  // namespace thalweg
