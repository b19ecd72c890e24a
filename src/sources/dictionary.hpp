// The levels of one categorical column by name, numbered in the order in which they came.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace thalweg {

class Dictionary {
 public:
  Dictionary() = default;
  explicit Dictionary(const std::vector<std::string>& names) {
    for (const std::string& name : names) add(name);
  }

  std::optional<std::size_t> find(std::string_view name) const {
    const auto found = numbers_.find(name);
    return found == numbers_.end() ? std::nullopt : std::optional(found->second);
  }

  /// True when the name is new.
  bool add(std::string_view name) {
    if (numbers_.contains(name)) return false;
    numbers_.emplace(name, names_.size());
    names_.emplace_back(name);
    return true;
  }

  void clear() {
    numbers_.clear();
    names_.clear();
  }

  const std::vector<std::string>& names() const { return names_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };

  std::unordered_map<std::string, std::size_t, Hash, std::equal_to<>> numbers_;
  std::vector<std::string> names_;
};

}  // namespace thalweg
