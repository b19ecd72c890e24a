// Reads model files and refuses what is none, or damaged.
#include "model_file_format.hpp"
#include "side_by_side.hpp"
#include <thalweg/catalogue/model_file.hpp>
#include <thalweg/core/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

namespace thalweg {
namespace {

using Json = ModelJson;

/// Flattens nested lists; all rows of a level must have the same length and every leaf must be a finite number.
void flatten(const Json& json, std::size_t depth, NamedArray& array) {
  if (!json.is_array()) {
    if (!json.is_number() || depth != array.shape.size() || !std::isfinite(json.get<double>()))
      throw Error("\"" + array.name + "\" is not a regular array of numbers");
    array.values.push_back(json.get<double>());
    return;
  }
  const bool leftmost = array.values.empty() && depth == array.shape.size();
  if (leftmost) array.shape.push_back(json.size());
  constexpr std::size_t deepest = 4;
  if (depth >= std::min(array.shape.size(), deepest) || array.shape[depth] != json.size() ||
      json.empty())
    throw Error("\"" + array.name + "\" is not a regular array of numbers");
  for (const Json& item : json) flatten(item, depth + 1, array);
}

/// Tables with as many rows as each other, of different widths: a list that is no regular array.
bool is_ragged(const Json& json) {
  const auto width = [](const Json& item) {
    return item.is_array() && !item.empty() && item[0].is_array() ? item[0].size() : 0;
  };
  return json.is_array() && !json.empty() && width(json[0]) > 0 &&
         std::any_of(json.begin(), json.end(),
                     [&](const Json& item) { return width(item) != width(json[0]); });
}

/// Names end up in messages, which are one line each.
const std::string& printable(const std::string& name) {
  for (const char c : name)
    if (static_cast<unsigned char>(c) < ' ') throw Error("a name in it holds control characters");
  return name;
}

std::vector<NamedArray> from_object(const Json& object) {
  std::vector<NamedArray> arrays;
  for (const auto& [name, json] : object.items()) {
    NamedArray array{.name = printable(name), .shape = {}, .values = {}};
    if (is_ragged(json)) {
      std::vector<NamedArray> pieces;
      for (const Json& item : json) flatten(item, 0, pieces.emplace_back(array));
      array = side_by_side(pieces);
    } else {
      flatten(json, 0, array);
    }
    arrays.push_back(std::move(array));
  }
  return arrays;
}

/// A whole number from 0 on, 0 where it is absent; a double that does not fit must not be cast.
std::uint64_t count_at(const Json& json, const std::string& key) {
  if (!json.contains(key)) return 0;
  if (!json.at(key).is_number_unsigned()) throw Error("\"" + key + "\" is not a count");
  return json.at(key).get<std::uint64_t>();
}

Training training_from(const Json& json) {
  Training training;
  const auto given = [&json](const char* key) {  // null says that there is no such thing
    return json.contains(key) && !json.at(key).is_null();
  };
  const auto optional_number = [&](const char* key) -> std::optional<double> {
    if (!given(key)) return std::nullopt;
    return json.at(key).get<double>();
  };
  training.method = json.value("method", "");
  training.observations = json.value("observations", 0.0);
  training.rows = count_at(json, "rows");
  training.passes = count_at(json, "passes");
  training.progressive_mean_log_likelihood = optional_number("progressive_mean_log_likelihood");
  training.log_likelihood = optional_number("log_likelihood");
  training.iterations = count_at(json, "iterations");
  training.converged = json.value("converged", false);
  training.seed = count_at(json, "seed");
  if (given("step")) training.step = json.at("step").get<std::string>();
  if (given("average")) training.average = json.at("average").get<std::string>();
  if (given("batch_size")) training.batch_size = count_at(json, "batch_size");
  training.buffer = count_at(json, "buffer");
  training.provisional = json.value("provisional", false);
  if (given("taken_at")) training.taken_at = json.at("taken_at").get<std::string>();
  if (given("labels")) training.labels = json.at("labels").get<std::vector<std::string>>();
  if (json.contains("events")) {
    for (std::size_t i = 0; i < event_kinds; ++i) {
      const auto event = static_cast<Event>(i);
      training.events.count(event, count_at(json.at("events"), std::string(Events::name(event))));
    }
  }
  return training;
}

/// Refuses what it does not know: a term that is left out makes another fit.
RegularisationRecord regularisation_from(const Json& json) {
  RegularisationRecord regularisation;
  for (const auto& [name, value] : json.items()) {
    if (name == "floor") {
      regularisation.floor = value.get<double>();
    } else if (name == "ridge") {
      regularisation.ridge = value.get<double>();
    } else if (name == "fixed") {
      regularisation.fixed = value.get<std::vector<std::string>>();
      for (const std::string& word : regularisation.fixed) printable(word);
    } else if (name == "prior") {
      regularisation.usual_prior = value.contains("strength");
      regularisation.prior_weight =
          value.at(regularisation.usual_prior ? "strength" : "weight").get<double>();
      regularisation.prior = from_object(value.at("mean"));
      if (!(regularisation.prior_weight > 0)) throw Error("its prior is not worth any rows");
    } else {
      throw Error("its terms have \"" + printable(name) + "\", which this program does not know");
    }
  }
  for (const auto& [name, value] :
       {std::pair("floor", regularisation.floor), {"ridge", regularisation.ridge}})
    if (value && !(*value >= 0)) throw Error("its " + std::string(name) + " is negative");
  return regularisation;
}

/// Nothing in a model file is nested deeply, and the library's copies are recursive: a stack can overflow.
bool shallow(int depth, Json::parse_event_t, const Json&) {
  constexpr int deepest = 16;
  if (depth > deepest) throw Error("it is nested too deeply");
  return true;
}

ModelFile from_json(const Json& json) {
  if (json.contains("format") && json.at("format") != model_format)
    throw Error("its format is not \"" + std::string(model_format) + "\"");
  if (json.contains("version") && json.at("version") != model_format_version)
    throw Error("its version is " + json.at("version").dump() + ", this program reads version " +
                std::to_string(model_format_version));
  for (const char* key : {"model", "parameters"})
    if (!json.contains(key)) throw Error("it has no \"" + std::string(key) + "\"");
  ModelFile file;
  file.model = printable(json.at("model").get<std::string>());
  if (json.contains("options"))
    for (const auto& [name, value] : json.at("options").items())
      file.options[printable(name)] =
          printable(value.is_string() ? value.get<std::string>() : value.dump());
  if (json.contains("columns")) file.columns = json.at("columns").get<std::vector<std::string>>();
  if (json.contains("levels"))
    for (const auto& [column, levels] : json.at("levels").items()) {
      file.levels[printable(column)] = levels.get<std::vector<std::string>>();
      for (const std::string& level : file.levels[column]) printable(level);
    }
  file.parameters = from_object(json.at("parameters"));
  if (json.contains("constants")) file.constants = from_object(json.at("constants"));
  if (json.contains("statistics")) {
    file.statistics = from_object(json.at("statistics").at("mean"));
    file.statistics_weight = json.at("statistics").at("weight").get<double>();
  }
  if (json.contains("terms")) file.regularisation = regularisation_from(json.at("terms"));
  if (json.contains("training")) file.training = training_from(json.at("training"));
  return file;
}

}  // namespace

ModelFile model_from_json(const std::string& text, const std::string& where) {
  try {
    return from_json(Json::parse(text, shallow));
  } catch (const Error& error) {
    throw Error(where + ": not a usable model file: " + error.message());
  } catch (const Json::parse_error& error) {
    throw Error(where + ": not a model file: damaged JSON at byte " + std::to_string(error.byte));
  } catch (const Json::exception&) {
    throw Error(where + ": not a usable model file: an entry has the wrong type");
  }
}

ModelFile read_model_file(const std::string& path) {
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(path + ": " + std::strerror(errno != 0 ? errno : ENOENT));
  if (std::filesystem::is_directory(path)) throw Error(path + ": " + std::strerror(EISDIR));
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (in.bad() || text.empty()) throw Error(path + ": not a model file: it is empty or unreadable");
  return model_from_json(text, path);
}

}  // namespace thalweg
