// Any bytes as a packed text table: gzip and zstd are recognised by content.
#include "any_table.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::check_table(data, size, "csv", "w");
}
