#include <thalweg/catalogue/fitted.hpp>
#include <thalweg/catalogue/fitted_regularisation.hpp>
#include <thalweg/core/capabilities.hpp>
#include <thalweg/core/domain.hpp>
#include <thalweg/core/error.hpp>

#include <algorithm>

namespace thalweg {
namespace {

const NamedArray* find(const std::vector<NamedArray>& arrays, std::string_view name) {
  for (const NamedArray& array : arrays)
    if (array.name == name) return &array;
  return nullptr;
}

/// By the number of extents. K × d and d × d look alike when K = d: a symmetric matrix is taken for a tied covariance.
std::string covariance_kind(const NamedArray& covariances, const NamedArray* means) {
  if (covariances.shape.size() == 3) return "full";
  if (covariances.shape.size() == 1) return "spherical";
  if (covariances.shape.size() != 2 || !means || means->shape.size() != 2) return "diag";
  const std::size_t K = means->shape[0];
  const std::size_t d = means->shape[1];
  if (covariances.shape[0] != d || covariances.shape[1] != d) return "diag";
  if (K != d) return "tied";
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (covariances.values[i * d + j] != covariances.values[j * d + i]) return "diag";
  return d > 1 ? "tied" : "diag";
}

/// The choice with which one of the file's parameters goes: rates belong to poisson emissions.
std::optional<std::string_view> choice_of(const ModelFile& file, const Entry& entry,
                                          std::string_view option) {
  for (const ParameterInfo& info : entry.parameters)
    if (info.only.option == option && find(file.parameters, info.name)) return info.only.value;
  return std::nullopt;
}

/// Where a file gives no options they are read off the shapes: K from the first parameter, which has a number for each component, r
/// from the loadings, the kind of covariance from its number of extents.
ModelOptions options_of(const ModelFile& file, const Entry& entry) {
  ModelOptions options;
  for (const auto& [name, value] : file.options) options.set(name, value);
  for (const Option& option : entry.options) {
    if (file.options.contains(std::string(option.name))) continue;
    if (option.name == "components") {
      if (const NamedArray* shares = find(file.parameters, entry.parameters.front().name);
          shares && !shares->shape.empty())
        options.set(option.name, std::to_string(shares->shape[0]));
    } else if (option.name == "covariance") {
      if (const NamedArray* covariances = find(file.parameters, "covariances"))
        options.set(option.name, covariance_kind(*covariances, find(file.parameters, "means")));
    } else if (option.name == "rank") {
      if (const NamedArray* loadings = find(file.parameters, "loadings");
          loadings && loadings->shape.size() == 2)
        options.set(option.name, std::to_string(loadings->shape[1]));
    } else if (const auto choice = choice_of(file, entry, option.name)) {
      options.set(option.name, std::string(*choice));
    }
  }
  return options;
}

/// The levels that the file names, each column's own: different ones, and none without a name.
void add_levels(const ModelFile& file, Schema& schema) {
  if (file.levels.empty()) return;
  schema.levels.resize(schema.width());
  for (const auto& [column, levels] : file.levels) {
    const auto found = std::ranges::find(schema.columns, column);
    if (found == schema.columns.end())
      throw Error("it has levels of \"" + column + "\", which is none of its columns");
    std::vector<std::string> names = levels;
    std::sort(names.begin(), names.end());
    if (names.empty() || names.front().empty())
      throw Error("column \"" + column + "\" has " +
                  (names.empty() ? "no levels" : "a level without a name"));
    if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end())
      throw Error("column \"" + column + "\" has the level \"" + *twice + "\" twice");
    schema.levels[static_cast<std::size_t>(found - schema.columns.begin())] = levels;
  }
}

/// Where a file names none: as many levels as its tables are wide, called 0, 1, …
void number_levels(const ModelFile& file, Schema& schema) {
  const NamedArray* probabilities = find(file.parameters, "probabilities");
  if (!probabilities) return;
  const NamedArray tables = as_tables(*probabilities);
  if (tables.parts.size() != schema.width()) return;  // said by whoever compares the shapes
  for (const std::size_t width : tables.parts) {
    std::vector<std::string>& levels = schema.levels.emplace_back();
    for (std::size_t l = 0; l < width; ++l) levels.push_back(std::to_string(l));
  }
}

/// Both of its extents count components: it tells nothing of columns.
bool between_components(const Entry& entry, const std::string& name) {
  const auto info = std::ranges::find(entry.parameters, name, &ParameterInfo::name);
  return info != entry.parameters.end() && info->shape == "K × K";
}

/// The columns of the file, or as many numbered ones as the mean, the tables or the first K × d parameter has.
Schema columns_of(const ModelFile& file, const Entry& entry) {
  if (!file.columns.empty()) {
    std::vector<std::string> names = file.columns;
    std::sort(names.begin(), names.end());
    if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end())
      throw Error("column \"" + *twice + "\" is there twice");
    return {file.columns};
  }
  if (const NamedArray* mean = find(file.parameters, "mean"); mean && mean->shape.size() == 1)
    return Schema::numbered(mean->shape[0]);
  if (const NamedArray* probabilities = find(file.parameters, "probabilities"))
    if (const NamedArray tables = as_tables(*probabilities); !tables.parts.empty())
      return Schema::numbered(tables.parts.size());
  for (const NamedArray& array : file.parameters)
    if (array.shape.size() >= 2 && !between_components(entry, array.name))
      return Schema::numbered(array.shape[1]);
  throw Error("the number of columns cannot be told from its parameters");
}

Schema schema_of(const ModelFile& file, const Entry& entry) {
  Schema schema = columns_of(file, entry);
  add_levels(file, schema);
  if (entry.takes_categories && file.levels.empty()) number_levels(file, schema);
  return schema;
}

void check_complete(const std::vector<NamedArray>& arrays, bool constants, const Layout& layout) {
  for (const Piece& piece : layout.pieces())
    if (piece.constant == constants && !find(arrays, piece.name))
      throw Error("it has no \"" + piece.name + "\"");
  check_shapes(arrays, layout);
}

void fill_whole(const std::vector<NamedArray>& arrays, bool constants, Named& named) {
  check_complete(arrays, constants, named.layout());
  fill_from(arrays, named);
  for (const Piece& piece : named.layout().pieces())
    if (piece.constant == constants)
      if (const std::string fault = domain_fault(piece, named[piece.name]); !fault.empty())
        throw Error(fault);
}

Fixed fixed_from(const std::vector<std::string>& words, const Fitted& fitted) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ",") + word;
  Fixed fixed = Fixed::parse(text);
  fixed.check(*fitted.plan.parameters, component_count(fitted));
  return fixed;
}

/// Constants are in place already: a prior is written with them.
Regularisation regularisation_from(const RegularisationRecord& record, const Fitted& fitted) {
  Regularisation regularisation;
  regularisation.floor = record.floor.value_or(regularisation.floor);
  regularisation.ridge = record.ridge.value_or(regularisation.ridge);
  if (!record.fixed.empty())
    regularisation.fixed = std::make_shared<const Fixed>(fixed_from(record.fixed, fitted));
  if (record.prior.empty()) return regularisation;
  Statistic S_0(fitted.plan.statistic);
  fill_whole(record.prior, false, S_0);
  S_0.weight = record.prior_weight;
  if (record.usual_prior) regularisation.prior_strength = record.prior_weight;
  regularisation.prior = std::make_shared<const Statistic>(std::move(S_0));
  regularisation.prior_gauge = std::make_shared<const Parameters>(fitted.parameters);
  return regularisation;
}

Fitted assemble(const ModelFile& file) {
  const Entry& entry = find_entry(file.model);
  const ModelOptions options = options_of(file, entry);
  const Schema schema = schema_of(file, entry);
  // Before anything of the size that options and columns promise is made.
  check_complete(file.parameters, false, *entry.make(options, schema)->plan(schema).parameters);
  Fitted fitted = prepare(entry, options, schema);
  fill_whole(file.parameters, false, fitted.parameters);
  if (file.constants.empty()) {
    calibrate(*fitted.model, dense_block(nullptr, 0, fitted.schema.width()), fitted.parameters);
  } else {
    fill_whole(file.constants, true, fitted.parameters);
  }
  if (!file.statistics.empty()) {
    fitted.statistic.emplace(fitted.plan.statistic);
    fill_whole(file.statistics, false, *fitted.statistic);
    if (!(file.statistics_weight >= 0)) throw Error("the weight of its statistics is negative");
    fitted.statistic->weight = file.statistics_weight;
  }
  fitted.regularisation = regularisation_from(file.regularisation, fitted);
  fitted.training = file.training;
  return fitted;
}

}  // namespace

Fitted prepare(const Entry& entry, const ModelOptions& options, const Schema& schema) {
  Fitted fitted;
  fitted.entry = &entry;
  fitted.options = entry.complete(options);
  fitted.schema = schema;
  fitted.model = entry.make(fitted.options, schema);
  fitted.plan = fitted.model->plan(schema);
  fitted.parameters = Parameters(fitted.plan.parameters);
  return fitted;
}

ModelFile to_file(const Fitted& fitted) {
  ModelFile file;
  file.model = fitted.entry->name;
  file.options = fitted.options.values();
  file.columns = fitted.schema.columns;
  for (std::size_t j = 0; j < fitted.schema.width(); ++j)
    if (fitted.schema.categorical(j)) file.levels[file.columns[j]] = fitted.schema.levels[j];
  file.parameters = arrays_of(fitted.parameters);
  file.constants = arrays_of(fitted.parameters, true);
  if (fitted.statistic) {
    file.statistics = arrays_of(*fitted.statistic);
    file.statistics_weight = fitted.statistic->weight;
  }
  file.regularisation = regularisation_record(fitted);
  file.training = fitted.training;
  return file;
}

Fitted from_file(const ModelFile& file, const std::string& where) {
  try {
    return assemble(file);
  } catch (const Error& error) {
    throw Error(where + ": not a usable model file: " + error.message());
  }
}

void write_fitted(const std::string& path, const Fitted& fitted) {
  write_model_file(path, to_file(fitted));
}

Fitted read_fitted(const std::string& path) { return from_file(read_model_file(path), path); }

}  // namespace thalweg
