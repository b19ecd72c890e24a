// Looks at a file's name and first bytes, and expands patterns.
#include "detect.hpp"

#include "bytes.hpp"
#include "unpack.hpp"
#include <thalweg/core/error.hpp>

#include <glob.h>
#include <unistd.h>

#include <string_view>

namespace thalweg {
namespace {

constexpr std::size_t look_bytes = 1U << 12U;

const Format* by_ending(std::string_view path) {
  for (const std::string_view packed : {".gz", ".zst"})
    if (path.ends_with(packed)) path.remove_suffix(packed.size());
  for (const Format& format : formats())
    for (const std::string_view ending : format.endings)
      if (path.ends_with(ending)) return &format;
  return nullptr;
}

const Format* by_content(std::string_view beginning) {
  for (const Format& format : formats())
    if (format.recognise && format.recognise(beginning)) return &format;
  return &formats().front();
}

bool is_pattern(const std::string& name) { return name.find_first_of("*?[") != std::string::npos; }

}  // namespace

FileKind detect_file(const std::string& file, const std::function<bool()>& stop) {
  const Input input = find_input(file);
  const auto [text, packing] = peek(input, look_bytes, stop);
  const Format* by_name = by_ending(file);
  return {.format = by_name ? by_name : by_content(text),
          .packing = packing == Packing::gzip   ? "gzip"
                     : packing == Packing::zstd ? "zstd"
                                                : "none",
          .beginning = text.substr(0, text.find('\n'))};
}

std::vector<std::string> expand_names(const std::vector<std::string>& names) {
  std::vector<std::string> files;
  for (const std::string& name : names) {
    if (!is_pattern(name) || ::access(name.c_str(), F_OK) == 0) {
      files.push_back(name);
      continue;
    }
    glob_t found{};
    const int answer = ::glob(name.c_str(), 0, nullptr, &found);
    if (answer == 0) files.insert(files.end(), found.gl_pathv, found.gl_pathv + found.gl_pathc);
    ::globfree(&found);
    if (answer != 0) throw Error(name + ": no file matches");
  }
  return files;
}

}  // namespace thalweg
