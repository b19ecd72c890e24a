#include <thalweg/core/text.hpp>
#include <thalweg/observers/model_file.hpp>
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

}  // namespace thalweg
