// All models by name.
#include "core/nearest.hpp"
#include "entries.hpp"
#include <thalweg/catalogue/catalogue.hpp>
#include <thalweg/core/error.hpp>

namespace thalweg {

namespace {

std::vector<Entry> complete(std::vector<Entry> entries) {
  for (Entry& entry : entries) entry.layout = entry.examples().at(0).truth.layout();
  return entries;
}

}  // namespace

const std::vector<Entry>& catalogue() {
#define THALWEG_ENTRY(name) name##_entry(),
  static const std::vector<Entry> entries = complete({THALWEG_MODELS(THALWEG_ENTRY)});
#undef THALWEG_ENTRY
  return entries;
}

const Entry& find_entry(std::string_view name) {
  std::vector<std::string> names;
  for (const Entry& entry : catalogue()) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  const auto nearest = nearest_name(name, names);
  throw UsageError("no model \"" + std::string(name) + "\"" +
                   (nearest ? ", did you mean " + *nearest + "?" : "") +
                   " (thalweg models lists them)");
}

Option components_option() {
  return {.name = "components",
          .flag = "-k",
          .help = "number of components",
          .python = {.name = "n_components"}};
}

ParameterInfo weights_parameter() {
  return {"weights", "K", "share of each component, summing to 1"};
}

}  // namespace thalweg
