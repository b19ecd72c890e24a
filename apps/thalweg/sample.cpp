// thalweg sample: rows drawn from a model, as CSV.
#include "core/text.hpp"
#include "csv_field.hpp"
#include "flags.hpp"
#include "verbs.hpp"
#include <thalweg/catalogue/fitted.hpp>
#include <thalweg/core/error.hpp>
#include <thalweg/sources/simulated.hpp>

namespace thalweg::app {
namespace {

struct SampleFlags {
  std::string model;
  std::uint64_t rows = 0;
  std::uint64_t seed = 0;
  std::uint64_t sequence_rows = 0;  // 0: all rows are one sequence
};

void write(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
    throw Error("standard output cannot be written");
}

/// A level by its name.
std::string cell(const Schema& schema, std::size_t j, double value) {
  return schema.categorical(j) ? csv_field(schema.levels[j][static_cast<std::size_t>(value)])
                               : to_text(value);
}

int sample(const SampleFlags& flags) {
  const Fitted fitted = read_fitted(flags.model);
  if (flags.sequence_rows > 0 && !fitted.entry->takes_sequences)
    throw UsageError("--sequence-rows means nothing to " + flags.model + ": a " +
                     fitted.entry->name + " model has no sequences");
  std::string header;
  for (const std::string& name : fitted.schema.columns)
    header += (header.empty() ? "" : ",") + csv_field(name);
  write(header + "\n");
  SimulatedSource source(
      fitted.model, fitted.schema, fitted.parameters,
      {.rows = flags.rows, .seed = flags.seed, .unit_rows = flags.sequence_rows});
  for (const Block& block : source) {
    std::string out;
    for (std::size_t t = 0; t < block.rows; ++t) {
      if (begins_unit(block, t, Unit::sequence) && block.number(t) > 0) out += "\n";
      for (std::size_t j = 0; j < block.columns; ++j)
        out += cell(fitted.schema, j, block.row(t)[j]) + (j + 1 < block.columns ? "," : "\n");
    }
    write(out);
  }
  return done;
}

}  // namespace

Run add_sample(CLI::App& app) {
  auto flags = std::make_shared<SampleFlags>();
  CLI::App* verb = app.add_subcommand("sample", "rows drawn from a model, as CSV");
  verb->footer(
      "Example: ten million rows through a pipe into a new fit\n"
      "  thalweg sample model.json -n 10000000 | thalweg fit --model poisson -k 2");
  verb->add_option("MODEL", flags->model, "a model file that fit wrote")->required();
  add_count(*verb, "-n,--rows", flags->rows, "how many rows")->required()->type_name("N");
  add_count(*verb, "--seed", flags->seed, "the same seed gives the same rows (0)")->type_name("S");
  add_count(
      *verb, "--sequence-rows", flags->sequence_rows,
      "of a model of sequences: so many rows in each, blank lines between them (all rows are one)")
      ->type_name("N");
  return [flags] { return sample(*flags); };
}

}  // namespace thalweg::app
