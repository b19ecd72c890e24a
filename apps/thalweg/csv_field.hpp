// A field of CSV output.
#pragma once

#include <string>
#include <string_view>

namespace thalweg::app {

/// Quotes a field where RFC 4180 asks for it.
inline void append_csv_field(std::string& out, std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    out += text;
    return;
  }
  out += '"';
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

inline std::string csv_field(std::string_view text) {
  std::string field;
  append_csv_field(field, text);
  return field;
}

}  // namespace thalweg::app
