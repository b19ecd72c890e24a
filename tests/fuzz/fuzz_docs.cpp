// Any bytes as documents.
#include "any_table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::check_table(data, size, "docs", "c0");
}
