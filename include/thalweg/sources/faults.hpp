// What could not be read: counted by kind, the first few word for word, so that nothing is dropped silently.
#pragma once

#include <thalweg/core/archive.hpp>
#include <thalweg/export.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace thalweg {

enum class OnError {
  stop,     // an Error with place, content and a fix
  skip,     // the row is left out
  missing,  // the cell counts as missing; a row that cannot be split is left out
};

THALWEG_API OnError parse_on_error(std::string_view text);  // an unknown word is a UsageError

class THALWEG_API Faults {
 public:
  static constexpr std::size_t shown = 10;

  /// `kind` is a few words ("not a number"), `message` the line that `stop` would have ended with, without its advice. Of all
  /// messages only the first `shown` are looked at.
  void add(const std::string& kind, std::string message, bool row_lost);

  bool empty() const { return kinds_.empty(); }
  std::uint64_t rows_skipped() const { return rows_skipped_; }
  std::uint64_t cells_missing() const { return cells_missing_; }
  const std::map<std::string, std::uint64_t>& kinds() const { return kinds_; }
  const std::vector<std::string>& first() const { return first_; }

  void save(Archive& archive) const;
  void load(const Archive& archive);

 private:
  std::uint64_t rows_skipped_ = 0;
  std::uint64_t cells_missing_ = 0;
  std::map<std::string, std::uint64_t> kinds_;
  std::vector<std::string> first_;
};

}  // namespace thalweg
