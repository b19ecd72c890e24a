// Saves a place in text files with hashes around it, and compares them before it goes there.
#include "csv_position.hpp"

#include <thalweg/core/error.hpp>

#include <algorithm>
#include <string>

namespace thalweg {
namespace {

constexpr std::uint64_t looked_at = 1U << 16U;

/// FNV-1a over the bytes begin … end-1 of a file, as far as there are so many.
std::uint64_t hash(const Input& file, std::uint64_t begin, std::uint64_t end) {
  std::uint64_t value = 0xcbf29ce484222325U;
  const auto bytes = open_bytes(file, {}, begin);
  std::vector<char> buffer(static_cast<std::size_t>(end - begin));
  while (begin < end) {
    const std::size_t count = bytes->read(buffer.data(), static_cast<std::size_t>(end - begin));
    if (count == 0) break;
    for (std::size_t i = 0; i < count; ++i)
      value = (value ^ static_cast<unsigned char>(buffer[i])) * 0x100000001b3U;
    begin += count;
  }
  return value;
}

std::uint64_t hash_of_head(const Input& file, std::uint64_t offset) {
  return hash(file, 0, std::min(looked_at, offset));
}

std::uint64_t hash_before(const Input& file, std::uint64_t offset) {
  return hash(file, offset - std::min(looked_at, offset), offset);
}

[[noreturn]] void refuse(const Input& file, const std::string& why) {
  throw Error(file.name + ": is not the file the checkpoint was made with: " + why);
}

}  // namespace

void CsvPosition::save(const std::vector<Input>& files, Archive& archive) const {
  archive.put("csv/place", std::vector<std::uint64_t>{
                               started, ended, rows, file, offset, line,
                               static_cast<std::uint64_t>(static_cast<unsigned char>(delimiter))});
  std::vector<std::uint64_t> seen;
  for (std::size_t i = 0; i < file; ++i) seen.push_back(find_input(files[i].path).size.value_or(0));
  if (started) {
    seen.push_back(hash_of_head(files[file], offset));
    seen.push_back(hash_before(files[file], offset));
  }
  archive.put("csv/seen", std::move(seen));
}

CsvPosition CsvPosition::load(const std::vector<Input>& files, const Archive& archive) {
  const std::vector<std::uint64_t>& place = archive.counts("csv/place");
  const std::vector<std::uint64_t>& seen = archive.counts("csv/seen");
  constexpr std::size_t numbers = 7;
  if (place.size() != numbers || seen.size() != (place[0] != 0 ? place[3] + 2 : 0))
    throw Error("saved state \"csv\" does not fit together");
  const CsvPosition position{.started = place[0] != 0,
                             .ended = place[1] != 0,
                             .rows = place[2],
                             .file = static_cast<std::size_t>(place[3]),
                             .offset = place[4],
                             .line = place[5],
                             .delimiter = static_cast<char>(place[6])};
  if (!position.started) return position;
  if (position.rows == 0) throw Error("saved state \"csv\" does not fit together");
  if (position.file >= files.size())
    refuse(files.back(), "there were more files, at least " + std::to_string(position.file + 1));
  const auto size_of = [&](std::size_t i) { return find_input(files[i].path).size.value_or(0); };
  for (std::size_t i = 0; i < position.file; ++i)
    if (const std::uint64_t size = size_of(i); size != seen[i])
      refuse(files[i],
             "it has " + std::to_string(size) + " bytes, expected " + std::to_string(seen[i]));
  const Input& file = files[position.file];
  if (const std::uint64_t size = size_of(position.file); size <= position.offset)
    refuse(file, "it has " + std::to_string(size) + " bytes, and " +
                     std::to_string(position.offset) + " were read");
  if (hash_of_head(file, position.offset) != seen[position.file])
    refuse(file, "its first bytes have changed");
  if (hash_before(file, position.offset) != seen[position.file + 1])
    refuse(file, "what lies before line " + std::to_string(position.line) + " has changed");
  return position;
}

}  // namespace thalweg
