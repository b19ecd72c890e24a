// One line of JSON, taken apart by simdjson (Langdale & Lemire 2019).
#pragma once

#include "cell.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg {

class JsonLine {
 public:
  struct Value {
    std::string_view key;   // empty in an array
    std::string_view text;  // as a message shows it; unquoted
    Cell cell;
    bool boolean = false;

    /// As a level: true and false by their names.
    std::string_view level() const { return !boolean ? text : text == "1" ? "true" : "false"; }
  };

  JsonLine();
  JsonLine(const JsonLine&) = delete;
  JsonLine& operator=(const JsonLine&) = delete;
  ~JsonLine();

  /// What is wrong with the line, or nothing. `line` must have Lines::padding bytes of room behind it and stay in place.
  std::string parse(const std::string& line);

  bool is_object() const { return is_object_; }
  std::size_t size() const { return values_.size(); }
  const Value& value(std::size_t i) const { return values_[i]; }
  std::vector<std::string> keys() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
  bool is_object_ = false;
  std::vector<Value> values_;
};

}  // namespace thalweg
