// Reads "index:value" entries into dense or compressed rows, and finds the width where no line says it.
#include "sparse.hpp"

#include "cell.hpp"
#include "core/text.hpp"
#include <thalweg/core/error.hpp>

#include <algorithm>
#include <array>
#include <limits>

namespace thalweg {
namespace {

constexpr std::string_view spaces = " \t";

/// Takes the next word off the front.
std::string_view next_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
  const std::size_t end = std::min(text.find_first_of(spaces), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

/// The largest and smallest index on a line, as far as they can be read.
void widen(std::string_view line, std::uint64_t& least, std::uint64_t& most) {
  line = line.substr(0, line.find('#'));
  next_word(line);
  while (!line.empty()) {
    const std::string_view word = next_word(line);
    const auto index = to_count(word.substr(0, std::min(word.find(':'), word.size())));
    if (!index) continue;
    least = std::min(least, *index);
    most = std::max(most, *index);
  }
}

}  // namespace

SparseSource::SparseSource(const std::vector<std::string>& files, const TableOptions& options,
                           bool documents)
    : LineTable(files, options), documents_(documents) {
  if (documents_) lines_.set_opening([this](const Line& line) { read_opening(line); });
  expect_lines(documents_ ? "a line \"documents words entries\" and documents"
                          : "lines \"label index:value …\"");
  if (!documents_) find_width();
  if (options_.width > 0 && documents_ && options_.width != width_)
    throw Error(lines_.first_name() + ": the header says " + std::to_string(width_) + " columns, " +
                option("width", std::to_string(options_.width)));
  if (width_ == 0 || width_ > most_columns)
    throw Error(lines_.first_name() + ": " + std::to_string(width_) +
                " columns, expected from 1 to " + std::to_string(most_columns));
  names_.reserve(width_ + 1);
  names_.emplace_back("label");
  for (std::uint64_t j = 0; j < width_; ++j)
    names_.push_back("c" + std::to_string(j + first_index_));
  pick(documents_ || first_index_ > 0, {}, 0);
  data_place_.assign(names_.size(), -1);
  for (std::size_t i = 0; i < picked_.data.size(); ++i)
    data_place_[picked_.data[i]] = static_cast<std::int64_t>(i);
  if (data_place_[0] >= 0)
    throw UsageError("column \"label\" is no data, it can only be the label column");
  if (picked_.weight == 0U) throw UsageError("column \"label\" cannot be the weight");
}

/// "D W NNZ", the first line of every file.
void SparseSource::read_opening(const Line& line) {
  if (line.file > 0) check_count();
  std::string_view rest = line.text;
  std::array<std::optional<std::uint64_t>, 3> numbers;
  for (auto& number : numbers) number = to_count(next_word(rest));
  if (!numbers[0] || !numbers[1] || !numbers[2] || !without_spaces_around(rest).empty())
    throw Error(place(line) + ": " + in_quotes(line.text) +
                ", expected three whole numbers: documents, words, entries");
  if (line.file > 0 && *numbers[1] != width_)
    throw Error(place(line) + ": " + std::to_string(*numbers[1]) + " words, expected the " +
                std::to_string(width_) + " of " + lines_.first_name() +
                " (files read together need the same columns)");
  width_ = *numbers[1];
  announced_ = *numbers[0];
  file_ = line.file;
  seen_ = 0;
}

void SparseSource::check_count() const {
  if (seen_ != announced_)
    throw Error(lines_.name(file_) + ": " + std::to_string(seen_) +
                (seen_ < announced_ ? " documents only, the header says "
                                    : " documents, the header says ") +
                std::to_string(announced_) + " (is the file whole?)");
}

/// By --width, else by a first pass; indices that count from 0 show themselves early.
void SparseSource::find_width() {
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t most = 0;
  if (options_.width > 0) {
    for (std::size_t i = 0; i < sample_rows; ++i) {
      const Line* line = lines_.look_ahead(i);
      if (!line) break;
      widen(line->text, least, most);
      if (least == 0) break;
    }
    width_ = options_.width;
    first_index_ = least == 0 ? 0 : 1;
    return;
  }
  if (!lines_.rewindable())
    throw Error(lines_.first_name() + ": libsvm text through a pipe does not say how wide it is",
                {"give " + option("width")});
  while (const Line* line = lines_.next()) widen(line->text, least, most);
  lines_.rewind();
  first_index_ = least == 0 ? 0 : 1;
  width_ = most + 1 - first_index_;
}

bool SparseSource::lose(const Line& line, std::string_view token, const std::string& kind,
                        const std::string& expected) {
  rule_.row(kind, place(line) + ": " + in_quotes(token) + " " + kind + ", expected " + expected,
            "correct the line, or " + option("on_error", "skip") + " leaves it out");
  return false;
}

bool SparseSource::read_entry(const Line& line, std::string_view token) {
  const std::size_t colon = token.find(':');
  const auto index =
      colon == std::string_view::npos ? std::nullopt : to_count(token.substr(0, colon));
  if (!index) return lose(line, token, "is no entry", "index:value");
  if (*index < first_index_ || *index - first_index_ >= width_)
    return lose(line, token, "has an index out of range",
                "an index from " + std::to_string(first_index_) + " to " +
                    std::to_string(width_ + first_index_ - 1));
  Entry entry{.column = *index - first_index_, .value = 0};
  const std::string_view text = token.substr(colon + 1);
  const Cell cell = read_cell(text);
  entry.value = cell.value;
  if (cell.kind != Cell::Kind::number && cell.kind != Cell::Kind::missing &&
      !cells_.data(text, static_cast<std::size_t>(entry.column) + 1, place(line), entry.value))
    return false;
  entries_.push_back(entry);
  return true;
}

bool SparseSource::read_entries(const Line& line, std::string_view rest) {
  entries_.clear();
  for (;;) {
    const std::string_view token = next_word(rest);
    if (token.empty()) break;
    if (!read_entry(line, token)) return false;
  }
  if (!std::is_sorted(entries_.begin(), entries_.end()))
    std::sort(entries_.begin(), entries_.end());
  const auto twice =
      std::adjacent_find(entries_.begin(), entries_.end(),
                         [](const Entry& a, const Entry& b) { return a.column == b.column; });
  if (twice == entries_.end()) return true;
  return lose(line, std::to_string(twice->column + first_index_), "is twice in the row",
              "every index once");
}

bool SparseSource::take(const Line& line) {
  ++seen_;
  std::string_view rest = line.text;
  if (!documents_) rest = rest.substr(0, rest.find('#'));  // a remark
  const std::string_view label = next_word(rest);
  if (label.find(':') != std::string_view::npos)
    return lose(line, label, "is no label", "label index:value …");
  if (!read_entries(line, rest)) return false;
  double known = 0;
  double weight = 1;
  if (picked_.label == 0U) {
    const bool none = documents_ && label == "-1";
    if (!cells_.label(none ? "" : label, 0, place(line), known)) return false;
  } else if (picked_.label) {
    throw UsageError("the labels of docs and libsvm are in the column \"label\"");
  }
  if (picked_.weight) {
    const Entry wanted{.column = *picked_.weight - 1, .value = 0};
    const auto found = std::lower_bound(entries_.begin(), entries_.end(), wanted);
    const bool there = found != entries_.end() && found->column == wanted.column;
    if (!cells_.weight(to_text(there ? found->value : 0), *picked_.weight, place(line), weight))
      return false;
    weights_.push_back(weight);
  }
  if (picked_.label) known_.push_back(known);
  append(label);
  return true;
}

void SparseSource::append(std::string_view label) {
  const std::size_t width = schema_.width();
  const auto place_of = [this](const Entry& entry) { return data_place_[entry.column + 1]; };
  if (options_.sparse) {
    for (const Entry& entry : entries_)
      if (const std::int64_t place = place_of(entry); place >= 0) {
        columns_.push_back(static_cast<std::uint32_t>(place));
        sparse_values_.push_back(entry.value);
      }
    starts_.push_back(columns_.size());
  } else {
    const std::size_t begin = values_.size();
    values_.resize(begin + width);
    for (const Entry& entry : entries_)
      if (const std::int64_t place = place_of(entry); place >= 0)
        values_[begin + static_cast<std::size_t>(place)] = entry.value;
  }
  if (!options_.keep_text) return;
  std::vector<std::string>& texts = text_.emplace_back(names_.size(), "0");
  texts[0] = label;
  for (const Entry& entry : entries_) texts[entry.column + 1] = to_text(entry.value);
}

void SparseSource::begin_block() {
  starts_.assign(1, 0);
  columns_.clear();
  sparse_values_.clear();
}

void SparseSource::finish_block(Block& block) {
  if (!options_.sparse) return;
  block.values = nullptr;
  block.stride = 0;
  block.sparse = {
      .starts = starts_.data(), .columns = columns_.data(), .values = sparse_values_.data()};
}

void SparseSource::at_end() {
  if (documents_) check_count();
}

void SparseSource::at_beginning() { seen_ = 0; }

bool SparseSource::save_position(Archive& archive) const {
  archive.put("documents", std::vector<std::uint64_t>{announced_, seen_, file_});
  return LineTable::save_position(archive);
}

void SparseSource::load_position(const Archive& archive) {
  const std::vector<std::uint64_t>& saved = archive.counts("documents");
  if (saved.size() != 3 || saved[2] >= lines_.files())
    throw Error("saved position \"documents\" does not fit these inputs");
  LineTable::load_position(archive);
  announced_ = saved[0];
  seen_ = saved[1];
  file_ = static_cast<std::size_t>(saved[2]);
}

}  // namespace thalweg
