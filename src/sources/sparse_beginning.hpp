// How documents and libsvm text begin: enough of it to tell them from other text.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace thalweg {

/// A line of three counts, and then a row. The beginning may be cut off anywhere.
bool is_documents(std::string_view beginning);

/// A row "3 1:0.5 7:2".
bool is_libsvm(std::string_view beginning);

/// How many documents the first line announces.
std::optional<std::uint64_t> documents_told(std::string_view first_line);

}  // namespace thalweg
