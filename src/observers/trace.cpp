// The path of a fit as CSV, a line for a step now and then.
#include "core/text.hpp"
#include "whole_file.hpp"
#include <thalweg/core/error.hpp>
#include <thalweg/observers/trace.hpp>

namespace thalweg {

void Trace::on(const Step& step) {
  rows_ = step.rows;
  if (step.phase == Phase::buffer || !step.reporter) return;
  sum_ += step.log_likelihood;
  weight_ += step.batch_weight;
  if (step.phase == Phase::online && step.rows < next_rows_) return;
  next_rows_ = static_cast<std::uint64_t>(static_cast<double>(step.rows) * spacing) + 1;
  line(step.phase == Phase::batch ? "batch" : "online", step, step.reporter->reported());
}

void Trace::line(std::string_view phase, const Step& step, const Parameters& theta) {
  if (text_.empty()) {
    text_ = "phase,step,rows,rate,mean_log_likelihood";
    for (const std::string& name : theta.layout().entry_names()) text_ += "," + name;
    text_ += "\n";
  }
  text_.append(phase).append("," + std::to_string(step.number) + "," + std::to_string(step.rows));
  if (weight_ > 0) mean_ = to_text(sum_ / weight_);
  text_ += "," + to_text(step.rate) + "," + mean_;
  for (const Piece& piece : theta.layout().pieces()) {
    if (piece.constant) continue;
    for (const double value : theta[piece.name]) text_ += "," + to_text(value);
  }
  text_ += "\n";
  sum_ = 0;
  weight_ = 0;
}

void Trace::write(const std::string& path, const Parameters& reported) {
  line("final", {.rows = rows_}, reported);
  write_whole(path, text_);
}

Archive Trace::save() const {
  Archive archive;
  archive.put("texts", std::vector<std::string>{text_, mean_});
  archive.put("counts", std::vector<std::uint64_t>{rows_, next_rows_});
  archive.put("numbers", std::vector<double>{sum_, weight_});
  return archive;
}

void Trace::load(const Archive& archive) {
  const std::vector<std::string> texts = archive.texts("texts");
  const std::vector<std::uint64_t>& counts = archive.counts("counts");
  const std::vector<double>& numbers = archive.numbers("numbers");
  if (texts.size() != 2 || counts.size() != 2 || numbers.size() != 2)
    throw Error("saved trace is damaged");
  text_ = texts[0];
  mean_ = texts[1];
  rows_ = counts[0];
  next_rows_ = counts[1];
  sum_ = numbers[0];
  weight_ = numbers[1];
}

}  // namespace thalweg
