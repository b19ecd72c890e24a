// What a column looks like: numbers, levels, gaps.
#include "column_look.hpp"

#include "core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace thalweg::app {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

bool is_missing(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text.empty() || text == "na" || text == "nan";
}

bool has_decimal_comma(std::string text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos || text.find('.') != std::string::npos) return false;
  text[comma] = '.';
  return to_number(text).has_value();
}

}  // namespace

void ColumnLook::add(const std::string& cell) {
  const std::string text = trimmed(cell);
  if (is_missing(text)) {
    ++missing_;
    return;
  }
  if (levels_.size() <= most_levels) levels_.insert(text);
  const auto number = to_number(text);
  if (!number || !std::isfinite(*number)) {
    if (texts_ == 0) {
      first_is_text_ = numbers_ == 0;
      first_text_ = text.substr(0, 40);
    }
    ++texts_;
    commas_ += has_decimal_comma(text) ? 1 : 0;
    return;
  }
  smallest_ = numbers_ == 0 ? *number : std::min(smallest_, *number);
  largest_ = numbers_ == 0 ? *number : std::max(largest_, *number);
  ++numbers_;
  mean_ += (*number - mean_) / static_cast<double>(numbers_);
  whole_ = whole_ && *number == std::floor(*number);
}

std::string ColumnLook::kind() const {
  if (numbers_ + texts_ == 0) return "empty";
  if (is_numeric()) {
    if (smallest_ == largest_) return "constant";
    if (!whole_ || smallest_ < 0) return "number";
    return largest_ == 1 ? "binary" : "count";
  }
  if (levels_.size() == 1) return "constant";
  return levels_.size() <= most_levels && levels_.size() * 2 <= texts_ ? "category" : "text";
}

std::string ColumnLook::levels() const {
  return levels_.size() > most_levels ? fmt::format("> {}", most_levels)
                                      : std::to_string(levels_.size());
}

std::string ColumnLook::line(std::size_t name_width) const {
  const auto number = [this](double value) {
    return numbers_ > 0 ? fmt::format("{:.6g}", value) : "";
  };
  const double share = static_cast<double>(missing_) / static_cast<double>(cells());
  const std::string name = name_.size() > name_width ? name_.substr(0, name_width) : name_;
  return fmt::format("{:<{}} {:<9} {:>12} {:>12} {:>12} {:>8} {:>8}", name, name_width, kind(),
                     number(smallest_), number(largest_), number(mean_),
                     missing_ == 0 ? "0" : fmt::format("{:.2g} %", 100 * share), levels());
}

Json ColumnLook::json() const {
  const auto number = [this](double value) { return numbers_ > 0 ? Json(value) : Json(nullptr); };
  return {{"name", name_},
          {"type", kind()},
          {"smallest", number(smallest_)},
          {"largest", number(largest_)},
          {"mean", number(mean_)},
          {"missing_share", static_cast<double>(missing_) / static_cast<double>(cells())},
          {"levels", levels_.size() > most_levels ? Json(nullptr) : Json(levels_.size())}};
}

}  // namespace thalweg::app
