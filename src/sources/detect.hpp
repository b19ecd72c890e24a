// What a file is: its format by name or content, and how it is packed.
#pragma once

#include "formats.hpp"
#include <thalweg/export.hpp>

#include <functional>
#include <string>
#include <vector>

namespace thalweg {

struct FileKind {
  const Format* format = nullptr;
  std::string packing;  // gzip, zstd or none
  std::string
      beginning;  // the first line, unpacked, as far as it can be seen without taking it away
};

/// The format by the file's ending, else by content. A pipe is looked at as soon as it has something, and left as it is;
/// `stop` calls the waiting off.
THALWEG_API FileKind detect_file(const std::string& file, const std::function<bool()>& stop = {});

/// Names with * ? or [ ] that are no files become the files they match, in sorted order; one that matches nothing is an Error.
THALWEG_API std::vector<std::string> expand_names(const std::vector<std::string>& names);

}  // namespace thalweg
