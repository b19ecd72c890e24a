// thalweg merge: model files of shards become one.
#include "report.hpp"
#include "verbs.hpp"
#include <thalweg/catalogue/merge.hpp>
#include <thalweg/core/error.hpp>

#include <fmt/format.h>

namespace thalweg::app {
namespace {

struct MergeFlags {
  std::vector<std::string> parts;
  std::string output;
  bool json = false;
  bool quiet = false;
};

int merge_files(const MergeFlags& flags) {
  std::vector<Fitted> parts;
  for (const std::string& path : flags.parts) parts.push_back(read_fitted(path));
  const Merged merged = merge(std::move(parts), flags.parts);
  const Training& training = *merged.fitted.training;
  if (!flags.output.empty()) write_fitted(flags.output, merged.fitted);
  if (!flags.quiet) {
    fmt::print(stderr, "{}\n{} rows of {} files; {}\n{}", parameter_table(merged.fitted),
               training.rows, flags.parts.size(),
               merged.exact
                   ? "exact: all statistics were taken at the same parameters, so this is "
                     "one batch iteration over all rows"
                   : "approximate: each part was fitted on its own, components were matched "
                     "to those of the first (a pass over all rows would be better)",
               events_text(training.events, merged.fitted.schema));
    if (!flags.output.empty()) fmt::print(stderr, "model written to {}\n", flags.output);
  }
  if (flags.json) {
    const Json file = Json::parse(to_json(to_file(merged.fitted)));
    const Json summary = {{"exact", merged.exact},
                          {"files", flags.parts.size()},
                          {"rows", training.rows},
                          {"observations", training.observations},
                          {"parameters", file.at("parameters")}};
    fmt::print("{}\n", summary.dump());
  }
  return done;
}

}  // namespace

Run add_merge(CLI::App& app) {
  auto flags = std::make_shared<MergeFlags>();
  CLI::App* verb = app.add_subcommand("merge", "combine model files of shards of the data");
  verb->footer(
      "Example: one batch iteration over two shards, exactly\n"
      "  thalweg fit --one-step-from model.json part1.csv -o part1.json\n"
      "  thalweg fit --one-step-from model.json part2.csv -o part2.json\n"
      "  thalweg merge part1.json part2.json -o model.json\n"
      "Models that were fitted to their shards on their own are merged too, approximately: their\n"
      "components are matched, their statistics averaged.");
  verb->add_option("MODEL", flags->parts, "model files that fit wrote")->required();
  verb->add_option("-o,--output", flags->output, "write the model to this file")->type_name("FILE");
  verb->add_flag("--quiet", flags->quiet, "nothing but errors on stderr");
  verb->add_flag("--json", flags->json, "a summary on stdout as one JSON object");
  return [flags] { return merge_files(*flags); };
}

}  // namespace thalweg::app
