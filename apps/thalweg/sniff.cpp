// thalweg sniff: what is in a file, and a command to begin with.
#include "column_look.hpp"
#include "faults_report.hpp"
#include "input.hpp"
#include "interrupts.hpp"
#include "sources/detect.hpp"
#include "sources/sorted_hint.hpp"
#include "verbs.hpp"
#include <thalweg/core/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace thalweg::app {
namespace {

constexpr std::size_t most_cells = 4'000'000;  // looked at; wide tables end earlier
constexpr std::size_t most_rows = 100'000;
constexpr std::size_t most_lines = 40;  // of the table that people read

struct SniffFlags {
  std::string file;
  InputFlags input;
  bool json = false;
};

struct Look {
  FileKind kind;
  bool header = false;
  std::vector<ColumnLook> columns;
  std::uint64_t rows = 0;
  double rows_in_all = 0;
  bool whole = false;
  std::optional<std::string> sorted;
  Faults faults;

  const Format& format() const { return *kind.format; }
};

Look look_at(const SniffFlags& flags) {
  Look look;
  look.kind = detect_file(flags.file, was_interrupted);
  InputFlags input = flags.input;
  input.files = {flags.file};
  if (!input.format.empty()) look.kind.format = &format_named(input.format);
  TableOptions options = input.options();
  options.keep_text = true;
  options.text_alone = true;
  options.on_error = OnError::missing;
  options.block_rows = 1024;
  const auto table = open_table(input.files, options);
  SortedHint sorted(table->schema());
  look.header = table->has_header();
  for (const std::string& name : table->raw_header()) look.columns.emplace_back(name);
  Block block;
  for (;;) {
    look.whole = !table->next(block);
    if (look.whole) break;
    sorted.see(block);
    for (std::size_t t = 0; t < block.rows; ++t) {
      const std::vector<std::string>& fields = table->raw(t);
      for (std::size_t j = 0; j < fields.size(); ++j) look.columns[j].add(fields[j]);
    }
    look.rows += block.rows;
    if (look.rows >= most_rows || look.rows * look.columns.size() >= most_cells) break;
  }
  if (look.rows == 0) throw Error(flags.file + ": no rows");
  const double share = table->share_read().value_or(0);
  const auto seen = static_cast<double>(look.rows);
  look.rows_in_all = look.whole ? seen : share > 0 ? seen / share : seen;
  if (look.format().rows_told)
    if (const auto told = look.format().rows_told(look.kind.beginning))
      look.rows_in_all = static_cast<double>(*told);
  look.sorted = sorted.found();
  look.faults = table->faults();
  return look;
}

/// The character between the fields of the first line.
std::string delimiter_of(const Look& look) {
  static const std::map<char, std::string> names = {
      {',', "comma"}, {';', "semicolon"}, {'\t', "tab"}, {'|', "bar"}};
  const std::string_view possible = look.format().delimiters;
  if (possible.empty()) return "";
  if (possible.size() == 1) return names.at(possible.front());
  const std::string& line = look.kind.beginning;
  for (const char character : possible) {
    const auto count = static_cast<std::size_t>(std::count(line.begin(), line.end(), character));
    if (count > 0 && count + 1 >= look.columns.size()) return names.at(character);
  }
  return look.columns.size() == 1 ? "none" : "comma";
}

std::vector<std::string> warnings_of(const Look& look) {
  std::vector<std::string> warnings;
  if (look.sorted) warnings.push_back("the rows look sorted: " + *look.sorted);
  for (const ColumnLook& column : look.columns) {
    if (warnings.size() >= 10) break;
    const std::string name = "column \"" + column.name() + "\" ";
    if (!look.format().sparse && column.kind() == "constant")
      warnings.push_back(name + "is constant");
    if (column.decimal_commas()) warnings.push_back(name + "has decimal commas, expected points");
    if (column.mixed())
      warnings.push_back(
          fmt::format("{}mixes numbers and text, first \"{}\"", name, column.first_text()));
  }
  return warnings;
}

/// In quotes where the shell asks for it.
std::string shell_word(const std::string& word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("_-./,:+=@%").find(static_cast<char>(c)) != std::string_view::npos;
  });
  if (plain) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// "thalweg fit FILE" and how to read it.
std::string beginning_of(const SniffFlags& flags) {
  std::string command = "thalweg fit " + (flags.file == "-" ? "" : shell_word(flags.file) + " ");
  if (!flags.input.format.empty()) command += "--format " + flags.input.format + " ";
  if (flags.input.no_header) command += "--no-header ";
  return command;
}

/// Text columns whose words repeat.
std::vector<const ColumnLook*> categories_of(const Look& look) {
  std::vector<const ColumnLook*> found;
  for (const ColumnLook& column : look.columns)
    if (column.kind() == "category" && !column.decimal_commas() && !column.mixed() &&
        column.name().find(',') == std::string::npos)
      found.push_back(&column);
  return found;
}

/// A fit of the columns that look categorical.
std::optional<std::string> categorical_command_of(const SniffFlags& flags, const Look& look) {
  std::vector<std::string> names;
  for (const ColumnLook* column : categories_of(look)) names.push_back(column->name());
  if (names.empty()) return std::nullopt;
  return beginning_of(flags) + "--model categorical --categorical " +
         shell_word(fmt::format("{}", fmt::join(names, ","))) + " " +
         (look.rows_in_all >= 100 ? "-k 2" : "-k 1") + " -o model.json";
}

/// A fit of the columns that a model can take as they are: numeric, complete, not constant.
std::optional<std::string> command_of(const SniffFlags& flags, const Look& look) {
  std::vector<std::string> usable;
  bool counts = true;
  bool all = true;
  const bool sparse = look.format().sparse;
  for (const ColumnLook& column : look.columns) {
    if (sparse && &column == &look.columns.front()) continue;  // the label
    const bool numeric = column.is_numeric();
    if (!sparse && (!numeric || column.missing() > 0 || column.kind() == "constant" ||
                    column.name().find(',') != std::string::npos)) {
      all = all && column.is_text() &&
            !column.decimal_commas();  // those are not left out by themselves
      continue;
    }
    usable.push_back(column.name());
    counts = counts && (column.kind() == "count" || column.kind() == "binary" || sparse) &&
             column.smallest() >= 0 && column.whole();
  }
  if (usable.empty()) return std::nullopt;
  std::string command = beginning_of(flags);
  if (!all) command += "--columns " + shell_word(fmt::format("{}", fmt::join(usable, ","))) + " ";
  if (!look.faults.empty()) command += "--on-error skip ";
  const auto d = static_cast<double>(usable.size());
  if (counts) {
    command += "--model poisson ";
  } else if (d > 20 || look.rows_in_all < 20 * (d + 1)) {
    command += "--covariance diag ";
  }
  if (look.sorted && look.rows_in_all * d * sizeof(double) > 6e7)
    command += "--shuffle-buffer 100000 ";
  command += look.rows_in_all >= 100 ? "-k 2 " : "-k 1 ";
  return command + "-o model.json";
}

Json json_of(const Look& look, const std::vector<std::string>& warnings,
             const std::optional<std::string>& command,
             const std::optional<std::string>& categorical) {
  Json columns = Json::array();
  for (const ColumnLook& column : look.columns) columns.push_back(column.json());
  const std::string delimiter = delimiter_of(look);
  return {{"format", look.format().name},
          {"packing", look.kind.packing},
          {"delimiter", delimiter.empty() ? Json(nullptr) : Json(delimiter)},
          {"header", look.header},
          {"rows_looked_at", look.rows},
          {"rows_estimated", std::round(look.rows_in_all)},
          {"columns", columns},
          {"warnings", warnings},
          {"faults", faults_json(look.faults)},
          {"command", command ? Json(*command) : Json(nullptr)},
          {"categorical_command", categorical ? Json(*categorical) : Json(nullptr)}};
}

void print(const Look& look, const std::vector<std::string>& warnings,
           const std::optional<std::string>& command,
           const std::optional<std::string>& categorical) {
  const std::string delimiter = delimiter_of(look);
  fmt::print("{}{}{}, {}, {} columns, {}{:.0f} rows\n\n", look.format().name,
             look.kind.packing == "none" ? "" : " packed with " + look.kind.packing,
             delimiter.empty() ? "" : ", delimiter " + delimiter,
             look.header ? "with a header" : "without a header", look.columns.size(),
             look.whole ? "" : "about ", look.rows_in_all);
  std::size_t widest = 6;
  const std::size_t shown = std::min(look.columns.size(), most_lines);
  for (std::size_t j = 0; j < shown; ++j)
    widest = std::clamp<std::size_t>(look.columns[j].name().size(), widest, 30);
  fmt::print("{:<{}} {:<9} {:>12} {:>12} {:>12} {:>8} {:>8}\n", "column", widest, "type",
             "smallest", "largest", "mean", "missing", "levels");
  for (std::size_t j = 0; j < shown; ++j) fmt::print("{}\n", look.columns[j].line(widest));
  if (shown < look.columns.size())
    fmt::print("… and {} columns more\n", look.columns.size() - shown);
  fmt::print("{}", warnings.empty() ? "" : "\n");
  for (const std::string& warning : warnings) fmt::print("warning: {}\n", warning);
  if (!look.faults.empty()) fmt::print("\n{}", faults_text(look.faults, look.rows));
  if (command) fmt::print("\nbegin with\n  {}\n", *command);
  if (!categorical) return;
  std::vector<std::string> words;
  for (const ColumnLook* column : categories_of(look))
    words.push_back(fmt::format("{} ({} levels)", column->name(), column->level_count()));
  fmt::print("\n{} categorical: {}; latent classes of them by\n  {}\n",
             words.size() == 1 ? "looks" : "look", fmt::join(words, ", "), *categorical);
}

int sniff(const SniffFlags& flags) {
  const Look look = look_at(flags);
  const std::vector<std::string> warnings = warnings_of(look);
  const std::optional<std::string> command = command_of(flags, look);
  const std::optional<std::string> categorical = categorical_command_of(flags, look);
  if (flags.json) {
    fmt::print("{}\n", json_of(look, warnings, command, categorical).dump());
  } else {
    print(look, warnings, command, categorical);
  }
  return done;
}

}  // namespace

Run add_sniff(CLI::App& app) {
  auto flags = std::make_shared<SniffFlags>();
  CLI::App* verb = app.add_subcommand("sniff", "what is in a file, and a command to begin with");
  verb->footer(
      "Example:\n"
      "  thalweg sniff data.csv.gz\n"
      "The first rows are read, up to a hundred thousand; the number of all is estimated from "
      "them.");
  verb->add_option("FILE", flags->file, "a file, or - for standard input")->required();
  flags->input.add_reading(*verb);
  verb->add_flag("--json", flags->json, "one JSON object instead of a table");
  return [flags] { return sniff(*flags); };
}

}  // namespace thalweg::app
