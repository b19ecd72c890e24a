// What is said to a user: text that names options by their ids, so that the command, Python and the library each spell them their own
// way, and advice that a face leaves out where it does not have the option.
#pragma once

#include <thalweg/export.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace thalweg {

/// An option of the table in catalogue/options.hpp, or of an entry, and the value that is meant, if any.
struct Mention {
  std::string option;  // "on_error"; empty: the plain text is in `value`
  std::string value;   // "missing"
};

/// How a face calls an option, and whether its users have it.
struct Spelled {
  std::string text;
  bool usable = true;
};
using Spelling = std::function<Spelled(const Mention&)>;

class THALWEG_API Message {
 public:
  Message() = default;
  Message(std::string text);
  Message(const char* text) : Message(std::string(text)) {}
  explicit Message(Mention mention) { pieces_.push_back(std::move(mention)); }

  /// "as {method=batch} does, up to {max_iterations}": for texts that are written down, never for those of users.
  static Message parse(std::string_view text);

  /// One more way out, said at the end in brackets: "(raise --keep, or use --method online)".
  Message& advise(Message way);

  friend THALWEG_API Message operator+(Message left, const Message& right);
  Message& operator+=(const Message& right) { return *this = std::move(*this) + right; }

  bool empty() const { return pieces_.empty() && advice_.empty(); }
  std::string text()
      const;  // options by their ids, as the library has them: keep, on_error=missing
  std::string text(const Spelling& spelling) const;
  std::vector<Mention> mentions() const;

 private:
  bool usable(const Spelling& spelling) const;

  std::vector<Mention> pieces_;
  std::vector<Message> advice_;  // alternatives
};

/// A mention: "rows do not fit into " + option("keep").
inline Message option(std::string id, std::string value = {}) {
  return Message(Mention{std::move(id), std::move(value)});
}

}  // namespace thalweg
