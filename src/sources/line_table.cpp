// Blocks of a table that has a row on a line: places, sequences, levels and positions.
#include "line_table.hpp"

#include "cell.hpp"
#include "level_search.hpp"
#include <thalweg/core/error.hpp>

#include <algorithm>

namespace thalweg {
namespace {

// A block ends when its text or its numbers are this long: however wide the rows are, memory stays bounded.
constexpr std::size_t block_bytes = 1U << 23U;

}  // namespace

LineTable::LineTable(const std::vector<std::string>& files, const TableOptions& options)
    : PickedTable(options), lines_(files, options) {}

void LineTable::expect_lines(const std::string& expected) {
  if (lines_.look_ahead(0)) return;
  if (lines_.called_off()) throw Error("interrupted before the first row was read");
  throw Error(lines_.first_name() + ": empty, expected " + expected);
}

void LineTable::pick(bool named, const std::function<bool(std::size_t)>& is_text,
                     std::optional<std::size_t> label_only) {
  PickedTable::pick({.source = lines_.first_name(),
                     .names = names_,
                     .named = named,
                     .is_text = is_text,
                     .label_only = label_only});
}

bool LineTable::next(Block& block) {
  const Line* line = lines_.next();
  if (line) {
    read_ += places_.size();
    clear_rows();
    places_.clear();
    marks_.clear();
    begin_block();
  }
  const std::size_t row_bytes = schema_.width() * sizeof(double);
  std::size_t bytes = 0;
  for (; line; line = lines_.next()) {
    mark_waits_ = mark_waits_ || line->file != sequence_file_ ||
                  (options_.blank_line_sequences && line->after_blank);
    sequence_file_ = line->file;
    unknown_here_.clear();
    if (!take(*line)) continue;
    for (const auto& [column, level] : unknown_here_) unknown_.add(schema_.columns[column], level);
    marks_.push_back(mark_waits_ ? 1 : 0);
    mark_waits_ = false;
    places_.push_back({line->file, line->line, line->offset});
    bytes += std::max(line->text.size(), options_.sparse ? 0 : row_bytes);
    if (places_.size() == options_.block_rows || bytes >= block_bytes || lines_.idle()) break;
  }
  if (!line) {
    if (!lines_.called_off()) at_end();
    if (bytes == 0) return false;
  }
  block = kept_rows(places_.size());
  if (has_sequences()) block.side.unit_start = marks_.data();
  block.number_from(read_);
  if (in_stretch_) number_by_places(block);
  finish_block(block);
  return true;
}

bool LineTable::rewind() {
  if (!lines_.rewind()) return false;
  read_ = 0;
  places_.clear();
  in_stretch_ = false;
  rule_.faults() = {};
  unknown_ = {};
  mark_waits_ = true;
  at_beginning();
  return true;
}

std::uint64_t LineTable::stretches(std::uint64_t bytes) const {
  const auto reachable = [](const Input& input) {
    return input.size && input.rewindable && !input.compressed && input.path != "-";
  };
  const std::vector<Input>& inputs = lines_.inputs();
  if (!lines_stand_alone() || has_sequences() || picked_.label ||
      !std::all_of(inputs.begin(), inputs.end(), reachable))
    return 0;
  return CsvStretches::count(inputs, bytes);
}

void LineTable::go_to_stretch(const Stretch& stretch) {
  const std::vector<Input>& inputs = lines_.inputs();
  in_stretch_ = true;
  read_ = 0;
  places_.clear();
  if (!stretch.look && (!stretches_ || stretches_->bytes() != stretch.bytes))
    stretches_.emplace(
        inputs, stretch.bytes, [](std::size_t) { return std::optional<char>(); }, options_.stop);
  lines_.go_to(stretch.look ? CsvStretches::near(inputs, stretch.number, stretch.bytes)
                            : stretches_->part(stretch.number));
}

void LineTable::number_by_places(Block& block) {
  std::uint64_t before = 0;
  for (std::size_t file = 0; file < places_.front().file; ++file)
    before += *lines_.inputs()[file].size;
  numbers_.clear();
  for (const Place& place : places_) numbers_.push_back(before + place.offset);
  block.first = numbers_.front();
  block.numbers = numbers_.data();
}

std::string LineTable::where(std::uint64_t row) const {
  if (in_stretch_) return stretches_ ? stretches_->where(row) : Source::where(row);
  if (row < read_ || row - read_ >= places_.size()) return Source::where(row);
  const Place& place = places_[static_cast<std::size_t>(row - read_)];
  return lines_.place(place.file, place.line);
}

// Labels know what they are by the first of them: an input with labels is read again instead.
bool LineTable::save_position(Archive& archive) const {
  if (picked_.label || !lines_.save(archive)) return false;
  archive.put("rows", read_ + places_.size());
  faults().save(archive);
  if (schema_.has_categories()) unknown_.save(archive);
  if (has_sequences()) {
    archive.put("sequence/at", std::vector<std::uint64_t>{mark_waits_, sequence_file_});
    archive.put("sequence/name", std::vector<std::string>{sequence_});
  }
  return true;
}

void LineTable::load_position(const Archive& archive) {
  lines_.load(archive);
  read_ = archive.count("rows");
  places_.clear();
  in_stretch_ = false;
  rule_.faults().load(archive);
  if (schema_.has_categories()) unknown_.load(archive);
  if (!has_sequences()) return;
  const std::vector<std::uint64_t>& at = archive.counts("sequence/at");
  const std::vector<std::string> name = archive.texts("sequence/name");
  if (at.size() != 2 || name.size() != 1)
    throw Error("saved state \"sequence\" does not fit together");
  mark_waits_ = at[0] != 0;
  sequence_file_ = static_cast<std::size_t>(at[1]);
  sequence_ = name[0];
}

void LineTable::see_sequence(std::string_view name) {
  if (name == sequence_) return;
  sequence_ = name;
  mark_waits_ = true;
}

bool LineTable::read_level(std::string_view shown, std::size_t column, const Line& line,
                           double& value) {
  const std::string_view level = level_in(shown);
  value = read_cell("").value;
  if (level.empty()) return true;
  if (const auto number = levels_[column].find(level)) {
    value = static_cast<double>(static_cast<std::int64_t>(*number));
    return true;
  }
  const std::string& name = schema_.columns[column];
  if (options_.model_levels) {
    unknown_here_.emplace_back(column, level);
    return true;
  }
  return rule_.cell("is none of the levels",
                    place(line) + ": column " + in_quotes(name) + ": " + in_quotes(shown) +
                        " is none of its levels",
                    level_advice(name, levels_[column], level) + ", or " +
                        option("on_error", "missing") + " takes it as missing") == Verdict::missing;
}

}  // namespace thalweg
