// thalweg predict: a line of CSV for each input row, its log density and most probable component, or its scores.
#include "core/text.hpp"
#include "csv_field.hpp"
#include "faults_report.hpp"
#include "flags.hpp"
#include "input.hpp"
#include "verbs.hpp"
#include <thalweg/catalogue/fitted.hpp>
#include <thalweg/catalogue/parts.hpp>
#include <thalweg/core/border.hpp>
#include <thalweg/core/cutter.hpp>
#include <thalweg/core/error.hpp>
#include <thalweg/core/thread_pool.hpp>
#include <thalweg/data/slices.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <memory>
#include <utility>

namespace thalweg::app {
namespace {

struct PredictFlags {
  std::string model;
  InputFlags input;
  std::string id;
  bool append = false;
  bool proba = false;
  std::vector<std::string> condition_on;
};

/// Which input columns come before the prediction: all, one, or none.
std::vector<std::size_t> kept_columns(const PredictFlags& flags,
                                      const std::vector<std::string>& header) {
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

void append_cell(std::string& out, double number) {
  out += ',';
  append_text(out, number);
}

/// The columns that are not given, where only some are read.
std::unique_ptr<const Conditional> others_of(const PredictFlags& flags, const Fitted& fitted) {
  if (flags.condition_on.empty()) return nullptr;
  if (!fitted.entry->parts)
    throw UsageError(
        fmt::format("--condition-on means nothing to {}: a {} model has no conditionals",
                    flags.model, fitted.entry->name));
  return condition_on(fitted, columns_named(fitted, flags.condition_on));
}

std::string others_header(const Conditional* others) {
  std::string text;
  if (others)
    for (const std::string& name : others->names()) text += "," + csv_field(name);
  return text;
}

std::string header_line(const PredictFlags& flags, const Explanation& explanation,
                        const std::vector<std::string>& header,
                        const std::vector<std::size_t>& kept) {
  std::string line;
  for (const std::size_t j : kept) line += csv_field(header[j]) + ",";
  line += explanation.classes > 0 ? "log_density,component" : "log_density";
  for (std::size_t k = 0; k < explanation.factors; ++k) line += fmt::format(",z{}", k);
  if (flags.proba)
    for (std::size_t k = 0; k < explanation.classes; ++k) line += fmt::format(",p{}", k);
  return line;
}

void append_row(std::string& out, const Explanation& explanation, std::size_t t, bool proba) {
  append_text(out, explanation.log_density[t]);
  for (std::size_t k = 0; k < explanation.factors; ++k)
    append_cell(out, explanation.scores[t * explanation.factors + k]);
  if (explanation.classes == 0) return;
  const double* p = explanation.posterior.data() + t * explanation.classes;
  fmt::format_to(std::back_inserter(out), ",{}", std::max_element(p, p + explanation.classes) - p);
  if (proba)
    for (std::size_t k = 0; k < explanation.classes; ++k) append_cell(out, p[k]);
}

/// Some rows on their way from numbers to text, by whichever thread is free.
struct Slice {
  Explanation explanation;
  std::string text;
};

void write(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size())
    throw Error("standard output cannot be written");
}

int predict(const PredictFlags& flags) {
  const Fitted whole = read_fitted(flags.model);
  if (flags.proba && !whole.entry->has_components())
    throw UsageError(fmt::format("--proba means nothing to {}: a {} model has no components",
                                 flags.model, whole.entry->name));
  flags.input.check_sequences(*whole.entry);
  const std::unique_ptr<const Conditional> others = others_of(flags, whole);
  const Fitted& fitted = others ? others->given() : whole;
  const auto opened = flags.input.open_for(fitted.schema, flags.append || !flags.id.empty());
  TableSource& source = *opened;
  if (flags.input.one_sequence(*whole.entry)) fmt::print(stderr, "note: {}\n", one_sequence_note);
  const std::vector<std::size_t> kept = kept_columns(flags, source.raw_header());
  const ThreadPool pool(static_cast<std::size_t>(flags.input.threads));
  std::vector<Slice> explained;
  const std::unique_ptr<const Prepared> prepared = fitted.model->prepare(fitted.parameters);
  const auto append_kept = [&](std::string& out, std::size_t row_in_block) {
    for (const std::size_t j : kept) {
      append_csv_field(out, source.raw(row_in_block, j));
      out += ',';
    }
  };
  // Of a sequence that comes in several blocks, what stands before a prediction is kept until it can be made.
  const Unit unit = fitted.plan.unit;
  std::deque<std::string> waiting;
  const auto describe = [&](const Block& rows, std::size_t first, Slice& slice) {
    prepared->explain(rows, slice.explanation);
    const Explanation& found = slice.explanation;
    slice.text.clear();
    std::vector<double> told(others ? others->names().size() : 0);
    for (std::size_t t = 0; t < rows.rows; ++t) {
      if (unit == Unit::row)
        append_kept(slice.text, first + t);
      else
        slice.text += waiting[first + t];
      append_row(slice.text, found, t, flags.proba);
      if (others) others->tell({rows.row(t), rows.columns}, found, t, told);
      for (const double number : told) append_cell(slice.text, number);
      slice.text += '\n';
    }
  };
  bool first = true;
  const auto predict_rows = [&](const Block& rows) {
    const Slices slices(rows, unit);
    if (explained.size() < slices.size()) explained.resize(slices.size());
    pool.run(slices.size(),
             [&](std::size_t i) { describe(slices[i], slices.begin(i), explained[i]); });
    if (std::exchange(first, false))
      write(header_line(flags, explained[0].explanation, source.raw_header(), kept) +
            others_header(others.get()) + "\n");
    for (std::size_t i = 0; i < slices.size(); ++i) write(explained[i].text);
  };
  Cutter whole_units(slice_rows, unit, pool.size());
  const auto predict_units = [&](const Block& rows) {
    predict_rows(rows);
    waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(rows.rows));
  };
  Admission border(fitted.plan.unit);
  with_places(source, [&] {
    for (const Block& block : source) {
      border.admit(*fitted.model, fitted.schema, block);
      if (unit == Unit::row) {
        predict_rows(block);
        continue;
      }
      for (std::size_t t = 0; t < block.rows; ++t) append_kept(waiting.emplace_back(), t);
      whole_units.feed(block, predict_units);
    }
    whole_units.flush(predict_units);
  });
  fmt::print(stderr, "{}{}", faults_text(opened->faults(), opened->given()),
             unknown_levels_text(opened->unknown_levels()));
  return done;
}

}  // namespace

Run add_predict(CLI::App& app) {
  auto flags = std::make_shared<PredictFlags>();
  CLI::App* verb = app.add_subcommand(
      "predict", "log density and component, or factor scores, of every row, as CSV");
  verb->footer(
      "Example: keep the input columns and add posterior probabilities\n"
      "  thalweg predict model.json data.csv --append --proba > scored.csv\n"
      "Example: rows that the model finds strange, by their identifier\n"
      "  thalweg predict model.json data.csv --id name | sort -t, -g -k2 | head\n"
      "Example: the other columns of a model where only one is known\n"
      "  thalweg predict geyser.json new.csv --condition-on waiting");
  verb->add_option("MODEL", flags->model, "a model file that fit wrote")->required();
  flags->input.add(*verb, false);
  add_threads(*verb, flags->input.threads);
  verb->add_flag("--append", flags->append, "keep all input columns in front");
  verb->add_option("--id", flags->id, "keep this input column in front")->type_name("NAME");
  verb->add_flag("--proba", flags->proba, "add the posterior probabilities p0, p1, …");
  verb->add_option("--condition-on", flags->condition_on,
                   "read only these columns and predict the others: mean and sd, or the "
                   "probability of every level")
      ->delimiter(',')
      ->type_name("A,B,…");
  return [flags] { return predict(*flags); };
}

}  // namespace thalweg::app
