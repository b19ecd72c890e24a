// Numbers to text and back, every bit kept.
#include "core/text.hpp"

#include <array>
#include <charconv>

namespace thalweg {
namespace {

template <class Number>
std::optional<Number> parse_whole(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<double> to_number(std::string_view text) {
  if (text.starts_with("+-")) return std::nullopt;
  return parse_whole<double>(text);
}

std::optional<std::uint64_t> to_count(std::string_view text) {
  return parse_whole<std::uint64_t>(text);
}

std::string to_text(double number) {
  std::string text;
  append_text(text, number);
  return text;
}

void append_text(std::string& out, double number) {
  std::array<char, 32> buffer;  // NOLINT(*-member-init): to_chars writes what is read
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  out.append(buffer.data(), end);
}

}  // namespace thalweg
