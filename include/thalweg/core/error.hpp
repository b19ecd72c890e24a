// What is thrown at the borders when the user's request or data cannot be served.
#pragma once

#include <thalweg/core/message.hpp>
#include <thalweg/export.hpp>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace thalweg {

/// One line: what was found, what was expected, where, and the fix. `what()` names options by their ids; a face that has flags
/// or arguments words `message()` in them (in_command, in_python of catalogue/options.hpp).
class THALWEG_API Error : public std::runtime_error {
 public:
  explicit Error(Message what)
      : std::runtime_error(what.text()),
        message_(std::make_shared<const Message>(std::move(what))) {}
  explicit Error(const std::string& what) : Error(Message(what)) {}
  explicit Error(const char* what) : Error(Message(what)) {}

  /// With ways out, of which any one will do.
  Error(Message what, std::vector<Message> ways) : Error(with(std::move(what), std::move(ways))) {}

  const Message& message() const { return *message_; }

 private:
  static Message with(Message what, std::vector<Message> ways) {
    for (Message& way : ways) what.advise(std::move(way));
    return what;
  }

  std::shared_ptr<const Message> message_;  // an exception is copied without throwing
};

/// A request that makes no sense (an option out of range, a flag the model does not know).
class THALWEG_API UsageError : public Error {
 public:
  using Error::Error;
};

/// A row that the model cannot take. Whoever read the row can say where it came from.
class THALWEG_API RowError : public Error {
 public:
  RowError(std::uint64_t row, Message what)
      : Error("row " + std::to_string(row + 1) + ": " + what),
        row_(row),
        reason_(std::move(what)) {}
  std::uint64_t row() const { return row_; }  // absolute number, from 0
  const Message& reason() const { return reason_; }

 private:
  std::uint64_t row_;
  Message reason_;
};

}  // namespace thalweg
