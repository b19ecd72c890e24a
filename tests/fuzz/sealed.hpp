// A saved state whose beginning and checksum are right, so that what stands behind them is reached.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

inline std::string sealed(std::string_view body) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char byte : body) hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211U;
  std::string bytes = "thalweg-state 1\n" + std::string(body);
  for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(hash >> shift & 0xFFU);
  return bytes;
}
