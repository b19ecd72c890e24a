// What the flags of fit ask for, checked before any data are read.
#include "fit_choice.hpp"

#include <thalweg/core/error.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

namespace thalweg::app {
namespace {

constexpr const char* every_choice = "all";  // the value that compares them

void check_input_flags(const InputFlags& input, const Entry& entry) {
  if (!entry.takes_categories && !(input.categorical.empty() && input.levels.empty()))
    throw UsageError(fmt::format("model {} takes no categorical columns (--model {} takes them)",
                                 entry.name, models_that(&Entry::takes_categories)));
  input.check_sequences(entry);
}

/// Flags that mean nothing to this model, by name.
void check_flags(const FitFlags& flags, const Entry& entry) {
  check_input_flags(flags.input, entry);
  flags.check_model(entry);
  for (const auto& [name, value] : flags.model_options) {
    if (entry.option(name)) continue;
    std::vector<std::string_view> known;
    for (const Option& row : entry.options) known.push_back(row.flag);
    throw UsageError(fmt::format("model {} knows no {} (it has {})", entry.name,
                                 find_option(name)->flag, fmt::join(known, ", ")));
  }
  if (entry.has_components()) return;
  const auto refuse = [&entry](const std::string& flag) {
    throw UsageError(
        fmt::format("{} means nothing to a {} model: it has no components", flag, entry.name));
  };
  if (!flags.input.label_column.empty()) refuse("--label-column");
  if (flags.text("choose_by") == "icl") refuse("--choose-by icl");
}

}  // namespace

std::string Choice::several() const {
  if (range && range->several())
    return fmt::format("{} {}:{}", entry->size().flag, range->first, range->last);
  return over.empty() ? "" : fmt::format("{} {}", entry->option(over.front())->flag, every_choice);
}

Choice choose(const FitFlags& flags, Notes& notes) {
  Choice choice;
  if (flags.has("init")) choice.init = read_fitted(flags.text("init"));
  choice.entry = flags.has("model") ? &find_entry(flags.text("model"))
                 : choice.init      ? choice.init->entry
                                    : &find_entry(std::string(OptionId("model")->usual));
  if (choice.init && choice.init->entry != choice.entry)
    throw UsageError(flags.text("init") + " holds a " + choice.init->entry->name +
                     " model, --model says " + choice.entry->name);
  check_flags(flags, *choice.entry);
  for (const auto& [option, value] : flags.model_options) {
    const Option& row = *choice.entry->option(option);
    const bool every = row.compares && value == every_choice;
    if (every) choice.over.push_back(option);
    choice.options.set(option, every ? std::string(row.choices[0]) : value);
  }
  choice.range = flags.size(*choice.entry);
  if (choice.init) {
    for (const auto& [option, value] : choice.init->options.values()) {
      const auto given = flags.model_options.find(option);
      const bool said = given != flags.model_options.end();
      if (said && given->second != value)
        throw UsageError(fmt::format("{} has {} {}, the command line says {}", flags.text("init"),
                                     option, value, given->second));
      choice.options.set(option, value);
    }
  } else if (choice.range && choice.range->several()) {
    choice.options.set(choice.entry->size().name, std::to_string(choice.range->first));
  } else if (!choice.range && choice.entry->has_size()) {
    const Option& size = choice.entry->size();
    choice.options.set(size.name, "1");
    choice.range = Range{1, 1};
    notes.add(fmt::format("no {0} given: one {1} ({0} 3 fits three, {0} 1:9 compares)", size.flag,
                          choice.entry->has_components() ? "component" : "factor"));
  }
  choice.entry->complete(choice.options);  // complains before any data are read
  if (flags.changed("degenerate") && choice.several().empty())
    throw UsageError("--degenerate says what a comparison may choose (-k 1:9)");
  return choice;
}

void choose_categories(InputFlags& input) {
  if (input.categorical.empty()) {
    input.all_categorical = true;
  } else if (input.columns.empty()) {
    input.columns = input.categorical;
  }
}

LabelOptions label_options(const FitFlags& flags, const Choice& choice) {
  if (flags.input.label_column.empty()) return {};
  if (!choice.several().empty())
    throw UsageError(
        "--label-column needs one number of components: a label means the same "
        "component in every fit (give -k one number)");
  LabelOptions labels{.components = choice.options.count(choice.entry->size().name)};
  if (choice.init && choice.init->training) labels.names = choice.init->training->labels;
  return labels;
}

void check_outputs(const FitFlags& flags) {
  namespace fs = std::filesystem;
  std::vector<std::string> read = flags.input.files;
  if (flags.has("validate")) read.push_back(flags.text("validate"));
  std::error_code ignored;
  for (const std::string& path :
       {flags.text("output"), flags.text("trace"), flags.text("checkpoint")}) {
    if (path.empty()) continue;
    const fs::path folder = fs::path(path).parent_path();
    if (fs::is_directory(path, ignored))
      throw Error(path + ": is a directory, expected a file name");
    if (::access(folder.empty() ? "." : folder.c_str(), W_OK) != 0)
      throw Error(path + ": cannot be written: no such folder, or no right to write there");
    for (const std::string& input : read)
      if (path == input || fs::equivalent(path, input, ignored))
        throw UsageError(path + " is an input, the result would replace it (give another name)");
  }
  const auto same = [&ignored](const std::string& a, const std::string& b) {
    return !a.empty() && !b.empty() &&
           fs::weakly_canonical(a, ignored) == fs::weakly_canonical(b, ignored);
  };
  const std::string named = !flags.has("output") ? flags.text("trace") : flags.text("output");
  if (same(flags.text("output"), flags.text("trace")) ||
      same(flags.text("output"), flags.text("checkpoint")) ||
      same(flags.text("trace"), flags.text("checkpoint")))
    throw UsageError("--output, --trace and --checkpoint name the same file " + named);
  for (const std::string& path : {flags.text("trace"), flags.text("checkpoint")})
    if (same(path, flags.text("init")) || same(path, flags.text("prior")))
      throw UsageError(path + " is an input, the result would replace it (give another name)");
}

}  // namespace thalweg::app
