// What is thrown at the borders when the user's request or data cannot be served.
#pragma once

#include <thalweg/export.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace thalweg {

/// One line: what was found, what was expected, where, and the fix.
class THALWEG_API Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A request that makes no sense (an option out of range, a flag the model does not know).
class THALWEG_API UsageError : public Error {
 public:
  using Error::Error;
};

/// A row that the model cannot take. Whoever read the row can say where it came from.
class THALWEG_API RowError : public Error {
 public:
  RowError(std::uint64_t row, const std::string& what)
      : Error("row " + std::to_string(row + 1) + ": " + what), row_(row), reason_(what) {}
  std::uint64_t row() const { return row_; }  // absolute number, from 0
  const std::string& reason() const { return reason_; }

 private:
  std::uint64_t row_;
  std::string reason_;
};

}  // namespace thalweg
