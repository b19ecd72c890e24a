// thalweg models: every model of the catalogue with its options and parameters.
#include "report.hpp"
#include "verbs.hpp"
#include <thalweg/catalogue/catalogue.hpp>

#include <fmt/format.h>

namespace thalweg::app {
namespace {

void add_condition(const OnlyWith& only, Json& json) {
  if (!only.option.empty()) json["only_with"] = {{std::string(only.option), only.value}};
}

/// "; with --emission gaussian"
std::string condition_text(const Entry& entry, const OnlyWith& only) {
  if (only.option.empty()) return "";
  return fmt::format("; with {} {}", entry.option(only.option)->flag, only.value);
}

Json describe(const Entry& entry) {
  Json options = Json::array();
  for (const Option& option : entry.options) {
    Json json = {{"name", option.name}, {"flag", option.flag}, {"help", option.help}};
    if (option.is_count()) {
      json["minimum"] = 1;
    } else {
      json["choices"] = option.choices;
    }
    json["default"] = option.standard.empty() ? Json(nullptr) : Json(option.standard);
    add_condition(option.only, json);
    options.push_back(json);
  }
  Json parameters = Json::array();
  for (const ParameterInfo& parameter : entry.parameters) {
    parameters.push_back(
        {{"name", parameter.name}, {"shape", parameter.shape}, {"meaning", parameter.meaning}});
    add_condition(parameter.only, parameters.back());
  }
  return {{"name", entry.name},
          {"summary", entry.summary},
          {"density", entry.density},
          {"options", options},
          {"parameters", parameters},
          {"missing_cells", entry.takes_missing},
          {"categorical_columns", entry.takes_categories},
          {"sequences", entry.takes_sequences}};
}

void print(const Entry& entry) {
  fmt::print("{}: {}\n  density     {}\n", entry.name, entry.summary, entry.density);
  for (const Option& option : entry.options)
    fmt::print("  {:<11} {}{}{}\n", option.flag, option.help,
               option.standard.empty() ? "" : fmt::format(" ({})", option.standard),
               condition_text(entry, option.only));
  for (const ParameterInfo& parameter : entry.parameters)
    fmt::print("  {:<11} {}: {}{}\n", parameter.name, parameter.shape, parameter.meaning,
               condition_text(entry, parameter.only));
}

int models(bool json) {
  if (json) {
    Json all = Json::array();
    for (const Entry& entry : catalogue()) all.push_back(describe(entry));
    fmt::print("{}\n", all.dump(1));
    return done;
  }
  for (const Entry& entry : catalogue()) {
    if (&entry != &catalogue().front()) fmt::print("\n");
    print(entry);
  }
  return done;
}

}  // namespace

Run add_models(CLI::App& app) {
  auto json = std::make_shared<bool>(false);
  CLI::App* verb = app.add_subcommand("models", "every model with its options and parameters");
  verb->footer("Example:\n  thalweg models\n  thalweg models --json | jq '.[].name'");
  verb->add_flag("--json", *json, "as JSON");
  return [json] { return models(*json); };
}

}  // namespace thalweg::app
