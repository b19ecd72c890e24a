#include <thalweg/sources/csv.hpp>
#include <thalweg/sources/table_source.hpp>

namespace thalweg {

std::unique_ptr<TableSource> open_table(const std::vector<std::string>& files,
                                        const TableOptions& options) {
  TableOptions chosen = options;
  if (!chosen.delimiter && chosen.format == "tsv") chosen.delimiter = '\t';
  return std::make_unique<CsvSource>(files, chosen);
}

}  // namespace thalweg
