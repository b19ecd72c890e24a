#include "entries.hpp"
#include <thalweg/catalogue/catalogue.hpp>
#include <thalweg/core/error.hpp>
#include <thalweg/core/nearest.hpp>

namespace thalweg {

const std::vector<Entry>& catalogue() {
  static const std::vector<Entry> entries = {
      gaussian_entry(),
      poisson_entry(),
      categorical_entry(),
      ppca_entry(),
  };
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
