// thalweg predict: a line of CSV for each input row, its log density and most probable component.
#include "csv_field.hpp"
#include "input.hpp"
#include "verbs.hpp"
#include <thalweg/catalogue/fitted.hpp>
#include <thalweg/core/error.hpp>
#include <thalweg/core/text.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace thalweg::app {
namespace {

struct Flags {
  std::string model;
  InputFlags input;
  std::string id;
  bool append = false;
  bool proba = false;
};

/// Which input columns come before the prediction: all, one, or none.
std::vector<std::size_t> kept_columns(const Flags& flags, const std::vector<std::string>& header) {
  std::vector<std::size_t> kept;
  for (std::size_t j = 0; j < header.size(); ++j)
    if (flags.append || header[j] == flags.id) kept.push_back(j);
  if (!flags.id.empty() && !flags.append && kept.empty()) {
    std::string names;
    for (const std::string& name : header) names += (names.empty() ? "" : ", ") + name;
    throw Error(fmt::format("no column \"{}\" for --id (there are: {})", flags.id, names));
  }
  return kept;
}

std::string header_line(const Flags& flags, const Explanation& explanation,
                        const std::vector<std::string>& header,
                        const std::vector<std::size_t>& kept) {
  std::string line;
  for (const std::size_t j : kept) line += csv_field(header[j]) + ",";
  line += "log_density,component";
  if (flags.proba)
    for (std::size_t k = 0; k < explanation.classes; ++k) line += fmt::format(",p{}", k);
  return line + "\n";
}

void append_row(std::string& out, const Explanation& explanation, std::size_t t, bool proba) {
  const double* p = explanation.posterior.data() + t * explanation.classes;
  const auto best = std::max_element(p, p + explanation.classes) - p;
  out += to_text(explanation.log_density[t]) + "," + std::to_string(best);
  if (proba)
    for (std::size_t k = 0; k < explanation.classes; ++k) out += "," + to_text(p[k]);
  out += "\n";
}

int predict(const Flags& flags) {
  const Fitted fitted = read_fitted(flags.model);
  CsvSource source = flags.input.open_for(fitted.schema, flags.append || !flags.id.empty());
  const std::vector<std::size_t> kept = kept_columns(flags, source.raw_header());
  bool first = true;
  with_places(source, [&] {
    Explanation explanation;
    for (const Block& block : source) {
      fitted.model->check(fitted.schema, block);
      fitted.model->explain(fitted.parameters, block, explanation);
      std::string out;
      if (first) out = header_line(flags, explanation, source.raw_header(), kept);
      first = false;
      for (std::size_t t = 0; t < block.rows; ++t) {
        for (const std::size_t j : kept) out += csv_field(source.raw(t)[j]) + ",";
        append_row(out, explanation, t, flags.proba);
      }
      if (std::fwrite(out.data(), 1, out.size(), stdout) != out.size())
        throw Error("standard output cannot be written");
    }
  });
  return done;
}

}  // namespace

Run add_predict(CLI::App& app) {
  auto flags = std::make_shared<Flags>();
  CLI::App* verb = app.add_subcommand("predict", "log density and component of every row, as CSV");
  verb->footer(
      "Example: keep the input columns and add posterior probabilities\n"
      "  thalweg predict model.json data.csv --append --proba > scored.csv\n"
      "Example: rows that the model finds strange, by their identifier\n"
      "  thalweg predict model.json data.csv --id name | sort -t, -g -k2 | head");
  verb->add_option("MODEL", flags->model, "a model file that fit wrote")->required();
  flags->input.add(*verb, false);
  verb->add_flag("--append", flags->append, "keep all input columns in front");
  verb->add_option("--id", flags->id, "keep this input column in front")->type_name("NAME");
  verb->add_flag("--proba", flags->proba, "add the posterior probabilities p0, p1, …");
  return [flags] { return predict(*flags); };
}

}  // namespace thalweg::app
