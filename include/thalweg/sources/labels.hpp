// Labels of rows as text: numbers of components, or names that take components in the order in which they come.
#pragma once

#include <thalweg/core/archive.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace thalweg {

struct LabelOptions {
  std::size_t components = 0;           // how many there are; 0: any number
  std::vector<std::string> names = {};  // known already: those of components 0, 1, …
};

/// The first label decides: a whole number means that all are numbers from 0 on, anything else that all are names.
class THALWEG_API Labels {
 public:
  explicit Labels(LabelOptions options = {});

  /// A label that names no component is an Error; its text goes on where "… is" was said.
  std::size_t component(std::string_view label);

  const std::vector<std::string>& names() const { return options_.names; }  // empty for numbers

  void save(Archive& archive) const;
  void load(const Archive& archive);

 private:
  enum class Kind { unknown, numbers, names };

  std::size_t by_number(std::string_view label) const;
  std::size_t by_name(std::string_view label);

  LabelOptions options_;
  Kind kind_ = Kind::unknown;
  std::unordered_map<std::string, std::size_t> components_;
};

}  // namespace thalweg
