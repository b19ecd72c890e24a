// The path of a fit as CSV: every batch iteration, and online steps that lie a few per cent of rows apart.
#pragma once

#include <thalweg/core/archive.hpp>
#include <thalweg/core/step.hpp>
#include <thalweg/export.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace thalweg {

/// Lines are kept and written whole at the end: some fifty for each tenfold of rows.
class THALWEG_API Trace final : public Observer {
 public:
  void on(const Step& step) override;

  /// phase,step,rows,rate,mean_log_likelihood, then the parameters that would be reported.
  const std::string& text() const { return text_; }

  /// Ends with a line `final`, the parameters that are reported, and writes the file.
  void write(const std::string& path, const Parameters& reported);

  /// As part of a checkpoint: a run that goes on goes on with its trace.
  Archive save() const;
  void load(const Archive& archive);

 private:
  void line(std::string_view phase, const Step& step, const Parameters& theta);

  static constexpr double spacing = 1.05;

  std::string text_;
  std::uint64_t rows_ = 0;
  std::uint64_t next_rows_ = 0;
  std::string mean_;  // of the last line, empty before the first
  double sum_ = 0;    // log-likelihood since the last line
  double weight_ = 0;
};

}  // namespace thalweg
