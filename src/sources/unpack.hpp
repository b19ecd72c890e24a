// gzip and zstd data, recognised by their first bytes and unpacked while they are read.
#pragma once

#include "bytes.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace thalweg {

enum class Packing { none, gzip, zstd };

/// What data that begin like this are packed with. `undecided`, if given, tells whether more bytes could change the answer.
Packing packing_of(std::string_view beginning, bool* undecided = nullptr);

/// Gives what `packed` holds, unpacked if it is packed; decided at the first read. Several members or frames are one stream.
/// `name` is for messages: data that end in the middle or are damaged are an Error.
std::unique_ptr<Bytes> unpacked(std::unique_ptr<Bytes> packed, std::string name);

}  // namespace thalweg
