// Reads a text table once for the levels of its columns, or the first rows where it comes only once.
#include "csv_levels.hpp"

#include "cell.hpp"
#include "csv_parts.hpp"
#include "csv_reader.hpp"
#include "level_search.hpp"
#include <thalweg/core/error.hpp>
#include <thalweg/sources/table_source.hpp>

#include <algorithm>

namespace thalweg {
namespace {

/// Rows that cannot be taken apart are left to those who read them.
void look_at_first_rows(CsvReader& reader, const PickedColumns& picked, LevelSearch& search) {
  std::size_t bytes = 0;
  std::size_t rows = 0;
  reader.look_ahead([&](const CsvRow& row) {
    bytes += row.text.size() + row.size();
    ++rows;
    if (row.size() == reader.names().size())
      for (std::size_t i = 0; i < picked.data.size(); ++i)
        if (search.open(i)) search.add(i, row[picked.data[i]]);
    return rows < level_sample_rows && bytes < sample_bytes;
  });
}

void read_through(CsvReader& reader, const TableOptions& options, const CsvLayout& layout,
                  LevelSearch& search) {
  CsvLayout collecting = layout;
  collecting.collect_levels = true;
  if (collecting.on_error == OnError::stop) collecting.on_error = OnError::missing;
  CsvParts parts(reader, std::move(collecting), options.threads);
  CsvPart part;
  while (!part.failed && parts.next(part))
    for (const CsvLevel& level : part.levels) search.add(level.column, level.text);
  parts.stop();
  if (options.stop && options.stop()) throw ReadStopped();
  reader.rewind();
}

}  // namespace

void find_levels(CsvReader& reader, const TableOptions& options, const PickedColumns& picked,
                 CsvLayout& layout) {
  if (std::ranges::find(picked.categorical, true) == picked.categorical.end()) return;
  LevelSearch search(reader.first_name(), reader.names(), picked);
  const bool whole = reader.rewindable();
  layout.levels = search.found();
  if (search.needed() && whole) read_through(reader, options, layout, search);
  if (search.needed() && !whole) look_at_first_rows(reader, picked, search);
  layout.levels = search.finish(whole);
}

}  // namespace thalweg
