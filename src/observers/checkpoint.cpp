// Writes the state of a fit every so often, and reads it back.
#include "core/text.hpp"
#include "whole_file.hpp"
#include <thalweg/core/error.hpp>
#include <thalweg/observers/checkpoint.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

namespace thalweg {
namespace {

const std::vector<std::string> format = {"thalweg-checkpoint", "1"};

Archive read_archive(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(path + ": cannot be read");
  try {
    Archive archive = Archive::read(in);
    const std::vector<std::string> found = archive.texts("format");
    if (found.empty() || found.front() != format.front()) throw Error("it holds something else");
    if (found != format) throw Error("it is of version " + found.back() + ", this program reads 1");
    return archive;
  } catch (const Error& error) {
    throw Error(path + ": is not a checkpoint to go on from: " + error.message());
  }
}

}  // namespace

CheckpointPace CheckpointPace::parse(std::string_view text) {
  if (text.ends_with('s')) {
    const auto seconds = to_number(text.substr(0, text.size() - 1));
    if (seconds && *seconds > 0 && *seconds < 1e9) return {.seconds = *seconds};
  } else if (const auto rows = to_count(text); rows && *rows > 0) {
    return {.rows = *rows};
  }
  throw UsageError(option("checkpoint_every") + " \"" + std::string(text) +
                   "\" is neither a number of rows (100000) nor of seconds (10s)");
}

Checkpoint::Checkpoint(std::string path, CheckpointPace pace, std::vector<std::string> settings,
                       std::vector<std::string> usual, std::vector<std::string> before)
    : path_(std::move(path)),
      pace_(pace),
      settings_(std::move(settings)),
      usual_(std::move(usual)),
      before_(std::move(before)) {
  if (!exists()) return;
  std::ifstream in(path_, std::ios::binary);
  std::string begin(Archive::magic().size(), '\0');
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  if (begin != Archive::magic())
    throw Error(path_ +
                ": is there and is no checkpoint, it would be replaced (give another name)");
}

bool Checkpoint::exists() const { return std::filesystem::exists(path_); }

bool Checkpoint::due() const {
  if (pace_.rows > 0) return rows_ >= pace_.rows;
  return std::chrono::duration<double>(Clock::now() - written_).count() >= pace_.seconds;
}

void Checkpoint::write(Archive state) {
  rows_ = 0;
  written_ = Clock::now();  // before the work: a slow disk must not fill the time
  state.put("format", format);
  state.put("settings", settings_);
  std::ostringstream out;
  state.write(out);
  write_whole(path_, out.str(), path_ + ".partial");
}

Archive Checkpoint::read() const {
  Archive archive = read_archive(path_);
  std::vector<std::string> theirs = archive.texts("settings");
  const auto name = [](const std::string& line) { return line.substr(0, line.find(' ')); };
  for (std::string& line : theirs)
    if (std::ranges::find(before_, line) != before_.end())
      line = *std::ranges::find(settings_, name(line), name);
  for (const std::string& line : usual_)
    if (std::ranges::find(theirs, name(line), name) == theirs.end()) theirs.push_back(line);
  for (const std::string& line : theirs) {  // in whatever order they were listed
    if (std::ranges::find(settings_, line) != settings_.end()) continue;
    const auto ours = std::ranges::find(settings_, name(line), name);
    if (ours != settings_.end())
      throw Error(path_ + ": was made with " + line + ", this run has " + *ours +
                  " (resume with the flags of the first run)");
  }
  if (!std::ranges::is_permutation(theirs, settings_))
    throw Error(path_ + ": was made by a fit with other flags (resume with those)");
  return archive;
}

}  // namespace thalweg
