// A fit's checkpoints: when they are written, and how a fit goes on from one.
#include "fit_checkpoint.hpp"

#include <thalweg/core/error.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

namespace thalweg::app {
namespace {

/// A file by its content: it may have another name, but not another model in it.
std::string content_of(const std::string& path) {
  if (path.empty() || !std::filesystem::is_regular_file(path)) return path;
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  std::uint64_t digest = text.size();
  for (const char c : text) digest = (digest ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("(content {:016x})", digest);
}

std::vector<std::string> settings(const FitFlags& flags, const Fitted& prototype) {
  std::vector<std::string> lines = {"--model " + prototype.entry->name};
  for (const auto& [option, value] : prototype.options.values())
    lines.push_back(fmt::format("--{} {}", option, value));
  lines.push_back(fmt::format("--columns {}", fmt::join(prototype.schema.columns, ",")));
  const Schema& schema = prototype.schema;
  for (std::size_t j = 0; j < schema.width(); ++j)
    if (schema.categorical(j))
      lines.push_back(
          fmt::format("--levels {}={}", schema.columns[j], fmt::join(schema.levels[j], "|")));
  FitFlags by_content = flags;
  for (const OptionId file : {OptionId("init"), OptionId("continue"), OptionId("prior")})
    if (by_content.changed(file)) by_content.set(file, content_of(by_content.text(file)));
  for (std::string& line : by_content.settings()) lines.push_back(std::move(line));
  return lines;
}

}  // namespace

FitCheckpoint::FitCheckpoint(const FitFlags& flags, const Fitted& prototype)
    : resume_(flags.has("resume")),
      quiet_(flags.has("quiet")),
      checkpoint_(flags.text("checkpoint"), CheckpointPace::parse(flags.text("checkpoint_every")),
                  settings(flags, prototype), OptionValues().deciding(), flags.deciding_before()),
      path_(flags.text("checkpoint")) {}

void FitCheckpoint::attach(Fit& fit, Trace& trace) {
  fit_ = &fit;
  trace_ = &trace;
  fit.observe(checkpoint_);
  if (checkpoint_.exists() && resume_) {
    const Archive state = checkpoint_.read();
    fit.load(state.nested("fit/"));
    trace.load(state.nested("trace/"));
    note_ = "going on from the checkpoint " + path_;
  } else if (resume_) {
    note_ = "no checkpoint " + path_ + " yet, so from the beginning";
  } else if (checkpoint_.exists()) {
    note_ = "the checkpoint " + path_ +
            " of an earlier fit is replaced (--resume would have gone on from it)";
  }
}

void FitCheckpoint::say() {
  if (!quiet_ && !note_.empty()) fmt::print(stderr, "note: {}\n", note_);
  note_.clear();
}

void FitCheckpoint::rest(bool stopping) {
  say();
  if (!stopping && !checkpoint_.due()) return;
  Archive state;
  state.put("fit/", fit_->save());
  state.put("trace/", trace_->save());
  try {
    checkpoint_.write(std::move(state));
    complained_ = false;
  } catch (const Error& error) {
    if (!complained_)
      fmt::print(stderr, "thalweg: warning: {} (the fit goes on; an older checkpoint stays)\n",
                 in_command(error.message()));
    complained_ = true;
  }
}

}  // namespace thalweg::app
