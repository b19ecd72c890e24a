// Writes model files: JSON whose numbers read back bit for bit.
#include "core/text.hpp"
#include "model_file_format.hpp"
#include "observers/whole_file.hpp"
#include <thalweg/catalogue/model_file.hpp>
#include <thalweg/core/error.hpp>

#include <cmath>

namespace thalweg {
namespace {

using Json = ModelJson;

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
  if (training.provisional) json["provisional"] = true;
  if (!training.taken_at.empty()) json["taken_at"] = training.taken_at;
  return json;
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

/// Counts are written as numbers, choices as text.
Json option_value(const std::string& text) {
  if (const auto count = to_count(text)) return *count;
  return text;
}

}  // namespace

std::string to_json(const ModelFile& file) {
  Json options = Json::object();
  for (const auto& [name, value] : file.options) options[name] = option_value(value);
  Json json = {{"format", model_format},
               {"version", model_format_version},
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

void write_model_file(const std::string& path, const ModelFile& file) {
  write_whole(path, to_json(file));
}

}  // namespace thalweg
