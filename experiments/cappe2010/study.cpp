#include "study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace cappe2010 {
namespace {

void write_text(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (!file) throw Error(path + ": cannot be written");
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (std::fclose(file) != 0 || !written) throw Error(path + ": cannot be written");
}

/// By linear interpolation between order statistics.
double quantile(const std::vector<double>& sorted, double p) {
  const double at = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

void Boxes::add(const std::string& panel, double x, std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const double q1 = quantile(values, 0.25);
  const double q3 = quantile(values, 0.75);
  // Whiskers end at the last value within 1.5 interquartile ranges of the box.
  const double reach = 1.5 * (q3 - q1);
  const double low = *std::lower_bound(values.begin(), values.end(), q1 - reach);
  const double high = *std::prev(std::upper_bound(values.begin(), values.end(), q3 + reach));
  rows_ += fmt::format("{},{:g},{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g}\n", panel, x,
                       values.size(), values.front(), low, q1, quantile(values, 0.5), q3, high,
                       values.back());
}

void Boxes::write(const std::string& path) const {
  write_text(path,
             "panel,x,replications,minimum,whisker_low,lower_quartile,median,upper_quartile,"
             "whisker_high,maximum\n" +
                 rows_);
}

void Curves::add(const std::string& panel, const std::string& series, double x, double y) {
  rows_ += fmt::format("{},{},{:.8g},{:.8g}\n", panel, series, x, y);
}

void Curves::write(const std::string& path) const {
  write_text(path, "panel,series,x,y\n" + rows_);
}

Study::Study(std::string folder, double share, std::size_t threads)
    : folder_(std::move(folder)), share_(share), pool_(threads) {}

std::size_t Study::replications(std::size_t wanted) const {
  const auto some = static_cast<std::size_t>(std::round(share_ * static_cast<double>(wanted)));
  return std::clamp<std::size_t>(some, 20, wanted);
}

void Study::replicate(std::size_t count, const std::function<void(std::size_t)>& task) const {
  pool_.run(count, task);
}

Table draw(const std::shared_ptr<const Model>& model, const Schema& schema, const Parameters& truth,
           std::size_t rows, std::uint64_t seed) {
  SimulatedSource source(model, schema, truth, {.rows = rows, .seed = seed});
  Table table(schema.width());
  for (const Block& block : source) table.append(block);
  return table;
}

}  // namespace cappe2010
