// Finds the columns of JSON lines, and fills a row from each line by its keys.
#include "jsonl.hpp"

#include "cell.hpp"
#include "json_line.hpp"
#include "level_search.hpp"
#include <thalweg/core/error.hpp>

#include <algorithm>

namespace thalweg {

bool is_jsonl(std::string_view beginning) {
  const std::string_view text = first_text(beginning);
  return text.starts_with('{') || text.starts_with('[');
}

JsonlSource::JsonlSource(const std::vector<std::string>& files, const TableOptions& options)
    : LineTable(files, options), parser_(std::make_unique<JsonLine>()) {
  find_columns();
}

JsonlSource::~JsonlSource() = default;

/// use(i) for the lines of the sample that are JSON, parsed, until it gives false.
template <class Use>
void JsonlSource::for_sample(Use&& use) {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < sample_rows && bytes < sample_bytes; ++i) {
    const Line* line = lines_.look_ahead(i);
    if (!line) return;
    bytes += line->text.size();
    if (parser_->parse(line->text).empty() && !use()) return;
  }
}

void JsonlSource::find_columns() {
  expect_lines("lines of JSON");
  for_sample([this] {
    objects_ = parser_->is_object();
    names_ = objects_ ? parser_->keys() : Schema::numbered(parser_->size()).columns;
    return false;
  });
  if (names_.empty()) {
    const Line& first = *lines_.look_ahead(0);
    const std::string why = parser_->parse(first.text);
    throw Error(place(first) + ": " + (why.empty() ? "no values" : why) +
                ", expected an object or an array of numbers on every line, like {\"x\": 1.5}");
  }
  for (std::size_t j = 0; j < names_.size(); ++j) columns_[names_[j]] = j;
  add_asked_columns();
  std::vector<bool> text(names_.size(), false);
  std::vector<bool> open(names_.size(), true);
  if (options_.columns.empty())
    for_sample([&] {
      for (std::size_t i = 0; i < parser_->size(); ++i) {
        const std::optional<std::size_t> j = column_of(i);
        if (!j || *j >= open.size() || !open[*j]) continue;
        const Cell::Kind kind = parser_->value(i).cell.kind;
        open[*j] = kind == Cell::Kind::missing;
        text[*j] = kind == Cell::Kind::text;
      }
      return std::find(open.begin(), open.end(), true) != open.end();
    });
  pick(objects_, [&text](std::size_t j) { return text[j]; });
  find_levels();
}

/// Of a file in all lines, of a pipe in the first.
void JsonlSource::find_levels() {
  if (std::find(picked_.categorical.begin(), picked_.categorical.end(), true) ==
      picked_.categorical.end())
    return;
  LevelSearch search(lines_.first_name(), names_, picked_);
  const auto look = [&] {
    for (std::size_t i = 0; i < picked_.data.size(); ++i)
      if (search.open(i)) search.add(i, level_text(picked_.data[i]));
  };
  const bool whole = lines_.rewindable();
  if (search.needed() && whole) {
    for (const Line* line = lines_.next(); line; line = lines_.next())
      if (parser_->parse(line->text).empty() && arrange().empty()) look();
    if (lines_.called_off()) throw Error("interrupted before the first row was read");
    lines_.rewind();
  } else if (search.needed()) {
    for_sample([&] {
      if (arrange().empty()) look();
      return true;
    });
  }
  levels_ = search.finish(whole);
  schema_.levels = levels_of(levels_);
}

std::string_view JsonlSource::level_text(std::size_t column) const {
  return values_by_column_[column] ? values_by_column_[column]->level() : std::string_view();
}

/// Columns that are asked for by name may come later than in the first line.
void JsonlSource::add_asked_columns() {
  if (!objects_) return;
  std::vector<std::string> asked = options_.columns;
  asked.insert(asked.end(), options_.categorical.begin(), options_.categorical.end());
  for (const std::string& name :
       {options_.weight_column, options_.label_column, options_.sequence_column})
    if (!name.empty()) asked.push_back(name);
  const auto known = [this](const std::string& name) { return columns_.contains(name); };
  if (options_.by_position || std::all_of(asked.begin(), asked.end(), known)) return;
  for_sample([&] {
    for (const std::string& key : parser_->is_object() ? parser_->keys() : names_)
      if (!known(key) && std::find(asked.begin(), asked.end(), key) != asked.end()) {
        columns_[key] = names_.size();
        names_.push_back(key);
      }
    return !std::all_of(asked.begin(), asked.end(), known);
  });
}

/// Where the i-th value of the parsed line belongs. Most lines have their keys in the order of the first.
std::optional<std::size_t> JsonlSource::column_of(std::size_t i) const {
  if (!objects_) return i;
  const std::string_view key = parser_->value(i).key;
  if (i < names_.size() && names_[i] == key) return i;
  const auto found = columns_.find(std::string(key));
  return found == columns_.end() ? std::nullopt : std::optional(found->second);
}

/// Puts the values of the parsed line into the order of the columns; what is wrong with the line otherwise.
std::string JsonlSource::arrange() {
  values_by_column_.assign(names_.size(), nullptr);
  if (parser_->is_object() != objects_)
    return objects_ ? "an array, expected an object as on the first line"
                    : "an object, expected an array as on the first line";
  if (!objects_ && parser_->size() != names_.size())
    return std::to_string(parser_->size()) + (parser_->size() == 1 ? " value" : " values") +
           ", expected " + std::to_string(names_.size()) + " as on the first line";
  for (std::size_t i = 0; i < parser_->size(); ++i) {
    const std::optional<std::size_t> column = column_of(i);
    if (!column && options_.columns.empty())
      return "key " + in_quotes(parser_->value(i).key) + ", which the first line does not have";
    if (!column) continue;
    if (values_by_column_[*column]) return "key " + in_quotes(names_[*column]) + " twice";
    values_by_column_[*column] = &parser_->value(i);
  }
  return {};
}

bool JsonlSource::take(const Line& line) {
  const char* kind = "is not JSON";
  std::string why = parser_->parse(line.text);
  const bool is_json = why.empty();
  if (why.empty()) {
    kind = "has other columns than the first line";
    why = arrange();
  }
  if (!why.empty()) {
    rule_.row(kind, place(line) + ": " + why,
              (is_json && objects_ ? "pick the columns with " + option("columns") + ", or " : "") +
                  ("correct the line, or " + option("on_error", "skip") + " leaves it out"));
    return false;
  }
  const auto shown = [this](std::size_t column) {
    return values_by_column_[column] ? values_by_column_[column]->text : std::string_view();
  };
  if (picked_.sequence) see_sequence(shown(*picked_.sequence));
  row_.clear();
  for (std::size_t i = 0; i < picked_.data.size(); ++i) {
    const std::size_t column = picked_.data[i];
    if (picked_.categorical[i]) {
      if (!read_level(level_text(column), i, line, row_.emplace_back())) return false;
      continue;
    }
    const JsonLine::Value* value = values_by_column_[column];
    double number = value ? value->cell.value : read_cell("").value;
    if (value && value->cell.kind == Cell::Kind::text &&
        !cells_.not_a_number(value->text, column, place(line), number))
      return false;
    if (value && value->cell.kind == Cell::Kind::out_of_range &&
        !cells_.out_of_range(value->text, column, place(line), number))
      return false;
    row_.push_back(number);
  }
  double weight = 1;
  double label = 0;
  if (picked_.weight &&
      !cells_.weight(shown(*picked_.weight), *picked_.weight, place(line), weight))
    return false;
  if (picked_.label && !cells_.label(shown(*picked_.label), *picked_.label, place(line), label))
    return false;
  values_.insert(values_.end(), row_.begin(), row_.end());
  if (picked_.weight) weights_.push_back(weight);
  if (picked_.label) known_.push_back(label);
  if (options_.keep_text) {
    std::vector<std::string>& texts = text_.emplace_back();
    for (std::size_t j = 0; j < names_.size(); ++j) texts.emplace_back(shown(j));
  }
  return true;
}

}  // namespace thalweg
