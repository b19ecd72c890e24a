#include <thalweg/core/error.hpp>
#include <thalweg/core/text.hpp>
#include <thalweg/observers/model_file.hpp>

#include <nlohmann/json.hpp>

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

using Json = nlohmann::ordered_json;

constexpr const char* format_name = "thalweg-model";
constexpr int format_version = 1;

Json nested(const NamedArray& array, std::size_t depth, std::size_t& next) {
  Json list = Json::array();
  for (std::size_t i = 0; i < array.shape[depth]; ++i) {
    if (depth + 1 < array.shape.size()) {
      list.push_back(nested(array, depth + 1, next));
    } else {
      list.push_back(array.values[next++]);
    }
  }
  return list;
}

/// The columns begin … begin+width-1 of a matrix.
Json table(const NamedArray& array, std::size_t begin, std::size_t width) {
  Json rows = Json::array();
  for (std::size_t k = 0; k < array.shape[0]; ++k) {
    const auto at = array.values.begin() + static_cast<std::ptrdiff_t>(k * array.shape[1] + begin);
    rows.push_back(std::vector<double>(at, at + static_cast<std::ptrdiff_t>(width)));
  }
  return rows;
}

Json tables(const NamedArray& array) {
  Json list = Json::array();
  std::size_t begin = 0;
  for (const std::size_t width : array.parts) {
    list.push_back(table(array, begin, width));
    begin += width;
  }
  return list;
}

double finite(double value, const std::string& name) {
  if (!std::isfinite(value)) throw Error("\"" + name + "\" is not finite, not written");
  return value;
}

Json to_object(const std::vector<NamedArray>& arrays) {
  Json object = Json::object();
  for (const NamedArray& array : arrays) {
    for (const double value : array.values) finite(value, array.name);
    std::size_t next = 0;
    object[array.name] = !array.parts.empty()  ? tables(array)
                         : array.shape.empty() ? Json(array.values.at(0))
                                               : nested(array, 0, next);
  }
  return object;
}

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

NamedArray side_by_side(const std::vector<NamedArray>& pieces) {
  NamedArray array{.name = pieces[0].name, .shape = {pieces[0].shape.at(0), 0}, .values = {}};
  for (const NamedArray& piece : pieces) {
    if (piece.shape.size() != 2 || piece.shape[0] != array.shape[0])
      throw Error("\"" + array.name + "\" is not a list of tables with as many rows each");
    array.parts.push_back(piece.shape[1]);
    array.shape[1] += piece.shape[1];
  }
  for (std::size_t k = 0; k < array.shape[0]; ++k)
    for (const NamedArray& piece : pieces) {
      const auto at = piece.values.begin() + static_cast<std::ptrdiff_t>(k * piece.shape[1]);
      array.values.insert(array.values.end(), at, at + static_cast<std::ptrdiff_t>(piece.shape[1]));
    }
  return array;
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

template <class Number>
Json or_null(const std::optional<Number>& number) {
  return number && std::isfinite(*number) ? Json(*number) : Json(nullptr);
}

Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json to_object(const Training& training) {
  Json events = Json::object();
  for (std::size_t i = 0; i < event_kinds; ++i) {
    const auto event = static_cast<Event>(i);
    if (training.events[event] > 0)
      events[std::string(Events::name(event))] = training.events[event];
  }
  Json json = {
      {"method", training.method},
      {"observations", finite(training.observations, "observations")},
      {"rows", training.rows},
      {"passes", training.passes},
      {"progressive_mean_log_likelihood", or_null(training.progressive_mean_log_likelihood)},
      {"log_likelihood", or_null(training.log_likelihood)},
      {"iterations", training.iterations},
      {"converged", training.converged},
      {"seed", training.seed},
      {"step", or_null(training.step)},
      {"average", or_null(training.average)},
      {"batch_size", training.batch_size > 0 ? Json(training.batch_size) : Json(nullptr)},
      {"buffer", training.buffer},
      {"events", events}};
  if (!training.labels.empty()) json["labels"] = training.labels;
  if (!training.taken_at.empty()) json["taken_at"] = training.taken_at;
  return json;
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

Json to_object(const RegularisationRecord& regularisation) {
  Json json = Json::object();
  if (regularisation.floor) json["floor"] = finite(*regularisation.floor, "floor");
  if (regularisation.ridge) json["ridge"] = finite(*regularisation.ridge, "ridge");
  if (!regularisation.fixed.empty()) json["fixed"] = regularisation.fixed;
  if (!regularisation.prior.empty())
    json["prior"] = {{regularisation.usual_prior ? "strength" : "weight",
                      finite(regularisation.prior_weight, "prior")},
                     {"mean", to_object(regularisation.prior)}};
  return json;
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

/// Counts are written as numbers, choices as text.
Json option_value(const std::string& text) {
  if (const auto count = to_count(text)) return *count;
  return text;
}

/// Nothing in a model file is nested deeply, and the library's copies are recursive: a stack can overflow.
bool shallow(int depth, Json::parse_event_t, const Json&) {
  constexpr int deepest = 16;
  if (depth > deepest) throw Error("it is nested too deeply");
  return true;
}

ModelFile from_json(const Json& json) {
  if (json.contains("format") && json.at("format") != format_name)
    throw Error("its format is not \"" + std::string(format_name) + "\"");
  if (json.contains("version") && json.at("version") != format_version)
    throw Error("its version is " + json.at("version").dump() + ", this program reads version " +
                std::to_string(format_version));
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

/// "[2][3]", of tables "[2][3] [2][4]".
std::string shape_text(const NamedArray& array) {
  std::string text;
  const auto add = [&text](std::size_t extent) { text += "[" + std::to_string(extent) + "]"; };
  if (array.parts.empty()) std::for_each(array.shape.begin(), array.shape.end(), add);
  for (const std::size_t width : array.parts) {
    text += text.empty() ? "" : " ";
    add(array.shape[0]);
    add(width);
  }
  return text;
}

}  // namespace

std::vector<NamedArray> arrays_of(const Named& named, bool constants) {
  std::vector<NamedArray> arrays;
  for (const Piece& piece : named.layout().pieces()) {
    if (piece.constant != constants) continue;
    const auto values = named.values().subspan(piece.offset, piece.size());
    arrays.push_back({piece.name, piece.shape, {values.begin(), values.end()}, piece.parts});
  }
  return arrays;
}

NamedArray as_tables(const NamedArray& array) {
  if (!array.parts.empty() || array.shape.size() != 3) return array;
  const std::size_t size = array.shape[1] * array.shape[2];
  std::vector<NamedArray> pieces;
  for (std::size_t j = 0; j < array.shape[0]; ++j) {
    const auto at = array.values.begin() + static_cast<std::ptrdiff_t>(j * size);
    pieces.push_back({array.name,
                      {array.shape[1], array.shape[2]},
                      {at, at + static_cast<std::ptrdiff_t>(size)}});
  }
  return side_by_side(pieces);
}

void check_shapes(const std::vector<NamedArray>& arrays, const Layout& layout) {
  for (const NamedArray& array : arrays) {
    const Piece* piece = layout.find(array.name);
    if (!piece) throw Error("\"" + array.name + "\" is nothing that this model has");
    const NamedArray found = piece->parts.empty() ? array : as_tables(array);
    if (piece->shape != found.shape || piece->parts != found.parts)
      throw Error(
          "\"" + array.name + "\" has shape " + shape_text(found) + ", expected " +
          shape_text({.name = {}, .shape = piece->shape, .values = {}, .parts = piece->parts}));
  }
}

void fill_from(const std::vector<NamedArray>& arrays, Named& named) {
  check_shapes(arrays, named.layout());
  for (const NamedArray& array : arrays) {
    const bool tables = !named.layout().find(array.name)->parts.empty();
    const std::vector<double> values = tables ? as_tables(array).values : array.values;
    std::copy(values.begin(), values.end(), named[array.name].begin());
  }
}

std::string to_json(const ModelFile& file) {
  Json options = Json::object();
  for (const auto& [name, value] : file.options) options[name] = option_value(value);
  Json json = {{"format", format_name},
               {"version", format_version},
               {"model", file.model},
               {"options", options},
               {"columns", file.columns}};
  for (const std::string& column : file.columns)
    if (const auto found = file.levels.find(column); found != file.levels.end())
      json["levels"][column] = found->second;
  json["parameters"] = to_object(file.parameters);
  if (!file.constants.empty()) json["constants"] = to_object(file.constants);
  if (!file.statistics.empty())
    json["statistics"] = {{"weight", finite(file.statistics_weight, "weight")},
                          {"mean", to_object(file.statistics)}};
  if (!file.regularisation.empty()) json["terms"] = to_object(file.regularisation);
  if (file.training) json["training"] = to_object(*file.training);
  try {
    return json.dump(1) + "\n";
  } catch (const Json::exception&) {
    throw Error("a column name, level or label is not UTF-8 text, not written");
  }
}

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

void write_model_file(const std::string& path, const ModelFile& file) {
  write_whole(path, to_json(file));
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
