// Values of options by name, as a user gave them: each is checked against its row when it is set, and has its default until then.
#pragma once

#include "catalogue/options.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg {

class THALWEG_API OptionValues {
 public:
  /// A count, number or choice that the row does not take is a UsageError; texts are checked by who reads them.
  void set(OptionId id, std::string text);
  void set(OptionId id, std::string text, const Interval& range);

  std::string text(OptionId id) const;     // empty where nothing was given and there is no default
  std::uint64_t count(OptionId id) const;  // there is a value, or a default
  std::optional<std::uint64_t> count_if_given(OptionId id) const;
  double number(OptionId id) const;
  std::optional<double> number_if_given(OptionId id) const;  // without the default
  std::uint64_t bytes(OptionId id) const;
  bool has(OptionId id) const { return !text(id).empty(); }
  bool given(OptionId id) const { return values_.contains(id->name); }
  bool changed(OptionId id) const;  // from the default

  /// Options that mean nothing to a method are refused by name.
  void check_method(Method asked) const;

  /// … and those that mean nothing to a model.
  void check_model(const Entry& entry) const;

  /// What decides about learning, a line each ("--seed 3"): a checkpoint belongs to them.
  std::vector<std::string> deciding() const;
  /// Of those that are not given, lines of earlier versions, where another default was meant by that.
  std::vector<std::string> deciding_before() const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

/// What the values mean to a fit. Files (a prior, a start) are the caller's, and so is check_method: in Python an argument also
/// waits for other calls.
THALWEG_API FitOptions fit_options(const OptionValues& values);

/// 64M, 2G, 1000: bytes; nothing when it is not one.
THALWEG_API std::optional<std::uint64_t> to_bytes(std::string_view text);

}  // namespace thalweg
