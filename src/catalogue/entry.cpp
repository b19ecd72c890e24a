#include <thalweg/catalogue/catalogue.hpp>
#include <thalweg/core/text.hpp>

#include <algorithm>

namespace thalweg {
namespace {

std::string join(const std::vector<std::string>& words) {
  std::string joined;
  for (const std::string& word : words) joined += (joined.empty() ? "" : ", ") + word;
  return joined;
}

void check_value(const Entry& entry, const OptionInfo& option, const std::string& value) {
  if (option.is_count()) {
    const auto count = to_count(value);
    if (!count || *count < 1 || *count > 1'000'000)
      throw UsageError("model " + entry.name + ": " + option.flag + " \"" + value +
                       "\" is not a whole number from 1 to 1000000");
  } else if (std::find(option.choices.begin(), option.choices.end(), value) ==
             option.choices.end()) {
    throw UsageError("model " + entry.name + ": " + option.flag + " \"" + value +
                     "\" is not one of " + join(option.choices));
  }
}

/// Numbers or categories, as the model takes them.
void check_columns(const Entry& entry, const Schema& schema) {
  for (std::size_t j = 0; j < schema.width(); ++j) {
    if (schema.categorical(j) == entry.takes_categories) continue;
    const std::string column = "column \"" + schema.columns[j] + "\"";
    if (entry.takes_categories)
      throw UsageError("model " + entry.name + " needs categorical columns, " + column +
                       " is numeric (--categorical names those that are read by their levels)");
    std::vector<std::string> others;
    for (const Entry& other : catalogue())
      if (other.takes_categories) others.push_back(other.name);
    throw UsageError("model " + entry.name + " takes no categorical columns, " + column +
                     " is one (--model " + join(others) + " takes them)");
  }
}

}  // namespace

const std::string& ModelOptions::text(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw UsageError("option \"" + name + "\" has no value");
  return found->second;
}

std::size_t ModelOptions::count(const std::string& name) const {
  const auto value = to_count(text(name));
  if (!value) throw UsageError("option \"" + name + "\" is not a count");
  return static_cast<std::size_t>(*value);
}

const OptionInfo* Entry::option(std::string_view wanted) const {
  const auto found = std::ranges::find(options, wanted, &OptionInfo::name);
  return found == options.end() ? nullptr : &*found;
}

const OptionInfo& Entry::size() const {
  return *std::ranges::find_if(options, &OptionInfo::is_count);
}

std::shared_ptr<const Model> Entry::make(const ModelOptions& given, const Schema& schema) const {
  const ModelOptions all = complete(given);
  check_columns(*this, schema);
  return build(all, schema);
}

ModelOptions Entry::complete(const ModelOptions& given) const {
  std::vector<std::string> flags;
  for (const OptionInfo& option : options) flags.push_back(option.flag);
  for (const auto& [name_given, value] : given.values()) {
    const auto known =
        std::find_if(options.begin(), options.end(),
                     [&wanted = name_given](const OptionInfo& o) { return o.name == wanted; });
    if (known == options.end())
      throw UsageError("model " + name + " knows no --" + name_given + " (it has " + join(flags) +
                       ")");
    check_value(*this, *known, value);
  }
  ModelOptions all = given;
  for (const OptionInfo& option : options) {
    if (all.values().count(option.name) > 0) continue;
    if (option.standard.empty())
      throw UsageError("model " + name + " needs " + option.flag + " (" + option.help + ")");
    all.set(option.name, option.standard);
  }
  return all;
}

}  // namespace thalweg
