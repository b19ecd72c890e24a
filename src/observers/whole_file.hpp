// Files that are written whole or not at all.
#pragma once

#include <thalweg/export.hpp>

#include <string>

namespace thalweg {

/// Temporary file beside it, then rename: whatever happens, the old file or the new one is there, whole. `temporary` names it
/// where a killed writer should not leave one more behind each time; else it gets a name of its own.
THALWEG_API void write_whole(const std::string& path, const std::string& content,
                             const std::string& temporary = {});

}  // namespace thalweg
