// Takes a line of JSON apart with simdjson, into values that share the text of cells.
#include "json_line.hpp"

#include "lines.hpp"

#include <simdjson.h>

namespace thalweg {
namespace {

namespace json = simdjson::ondemand;

/// A number, or a word that is none of JSON's: Python writes NaN and Infinity.
JsonLine::Value read_token(std::string_view token) {
  while (!token.empty() && (token.back() == ' ' || token.back() == '\t' || token.back() == '\r'))
    token.remove_suffix(1);
  return {.key = {}, .text = token, .cell = read_cell(token)};
}

simdjson::error_code read_nested(json::value& value, std::string_view& text) {
  return simdjson::to_json_string(value).get(text);
}

simdjson::error_code read_value(json::value& value, JsonLine::Value& result) {
  const Cell text{Cell::Kind::text, read_cell("").value};
  json::json_type type{};
  if (value.type().get(type) != simdjson::SUCCESS) {
    result = read_token(value.raw_json_token());
    return result.cell.kind == Cell::Kind::text ? simdjson::TAPE_ERROR : simdjson::SUCCESS;
  }
  switch (type) {
    case json::json_type::number:
      result = read_token(value.raw_json_token());
      return result.cell.kind == Cell::Kind::text ? simdjson::NUMBER_ERROR : simdjson::SUCCESS;
    case json::json_type::string: {
      if (const auto error = value.get_string().get(result.text)) return error;
      result.cell = read_cell(result.text);
      return simdjson::SUCCESS;
    }
    case json::json_type::boolean: {
      bool yes = false;
      if (const auto error = value.get_bool().get(yes)) return error;
      result.text = yes ? "1" : "0";
      result.cell = {Cell::Kind::number, yes ? 1.0 : 0.0};
      result.boolean = true;
      return simdjson::SUCCESS;
    }
    case json::json_type::null: {
      bool null = false;
      if (const auto error = value.is_null().get(null)) return error;
      if (!null) return simdjson::N_ATOM_ERROR;
      result.cell = read_cell("");
      return simdjson::SUCCESS;
    }
    default:
      result.cell = text;
      return read_nested(value, result.text);
  }
}

simdjson::error_code read_object(json::document& document, std::vector<JsonLine::Value>& values) {
  json::object object;
  if (const auto error = document.get_object().get(object)) return error;
  for (auto field : object) {
    if (field.error()) return field.error();
    JsonLine::Value& value = values.emplace_back();
    std::string_view key;
    if (const auto error = field.unescaped_key().get(key)) return error;
    json::value content;
    if (const auto error = field.value().get(content)) return error;
    if (const auto error = read_value(content, value)) return error;
    value.key = key;
  }
  return simdjson::SUCCESS;
}

simdjson::error_code read_array(json::document& document, std::vector<JsonLine::Value>& values) {
  json::array array;
  if (const auto error = document.get_array().get(array)) return error;
  for (auto element : array) {
    json::value content;
    if (const auto error = element.get(content)) return error;
    if (const auto error = read_value(content, values.emplace_back())) return error;
  }
  return simdjson::SUCCESS;
}

}  // namespace

struct JsonLine::State {
  json::parser parser;
};

JsonLine::JsonLine() : state_(std::make_unique<State>()) {}
JsonLine::~JsonLine() = default;

std::string JsonLine::parse(const std::string& line) {
  static_assert(Lines::padding >= simdjson::SIMDJSON_PADDING);
  values_.clear();
  json::document document;
  const auto refuse = [&](simdjson::error_code error) {
    values_.clear();
    std::string why = simdjson::error_message(error);
    const auto end = why.find_first_of(".:\n");
    return "not JSON: " + why.substr(0, end);
  };
  if (const auto error =
          state_->parser.iterate(line.data(), line.size(), line.size() + Lines::padding)
              .get(document))
    return refuse(error);
  json::json_type type{};
  if (const auto error = document.type().get(type)) return refuse(error);
  is_object_ = type == json::json_type::object;
  if (!is_object_ && type != json::json_type::array)
    return "neither an object nor an array of numbers";
  const auto error = is_object_ ? read_object(document, values_) : read_array(document, values_);
  if (error) return refuse(error);
  if (!document.current_location().error()) {  // not out of bounds: something is left
    values_.clear();
    return "more behind the " + std::string(is_object_ ? "object" : "array");
  }
  return {};
}

std::vector<std::string> JsonLine::keys() const {
  std::vector<std::string> keys;
  for (const Value& value : values_) keys.emplace_back(value.key);
  return keys;
}

}  // namespace thalweg
