// One column as its cells show it: type, range, what is missing.
#pragma once

#include "report.hpp"

#include <cstdint>
#include <set>
#include <string>

namespace thalweg::app {

class ColumnLook {
 public:
  explicit ColumnLook(std::string name) : name_(std::move(name)) {}

  void add(const std::string& cell);

  const std::string& name() const { return name_; }
  /// number, count (0, 1, 2, …), binary (0 and 1), constant; category (texts that repeat), text; empty (all missing).
  std::string kind() const;
  bool is_numeric() const { return numbers_ > 0 && texts_ == 0; }
  bool is_text() const { return texts_ > 0 && first_is_text_; }
  bool mixed() const { return numbers_ > 0 && texts_ > 0; }
  bool whole() const { return whole_; }
  double smallest() const { return smallest_; }
  std::uint64_t missing() const { return missing_; }
  bool decimal_commas() const { return texts_ > 0 && commas_ == texts_; }
  std::size_t level_count() const { return levels_.size(); }
  const std::string& first_text() const { return first_text_; }

  std::string line(std::size_t name_width) const;
  Json json() const;

 private:
  static constexpr std::size_t most_levels = 100;

  std::uint64_t cells() const { return numbers_ + texts_ + missing_; }
  std::string levels() const;

  std::string name_;
  std::uint64_t numbers_ = 0;
  std::uint64_t texts_ = 0;
  std::uint64_t missing_ = 0;
  std::uint64_t commas_ = 0;  // texts like 1,5
  bool whole_ = true;
  bool first_is_text_ = false;
  double smallest_ = 0;
  double largest_ = 0;
  double mean_ = 0;
  std::string first_text_;
  std::set<std::string> levels_;  // up to most_levels + 1
};

}  // namespace thalweg::app
