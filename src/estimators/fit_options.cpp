// Methods by name, and the one that suits the rows.
#include <thalweg/core/error.hpp>
#include <thalweg/estimators/fit_options.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace thalweg {
namespace {

constexpr std::array<std::string_view, 7> method_names = {
    "auto", "online", "batch", "incremental", "variance-reduced", "gradient", "exact"};

constexpr double absent = std::numeric_limits<double>::quiet_NaN();

std::optional<double> present(double number) {
  return std::isnan(number) ? std::nullopt : std::optional(number);
}

}  // namespace

Method parse_method(std::string_view text) {
  const auto found = std::find(method_names.begin(), method_names.end(), text);
  if (found == method_names.end())
    throw UsageError(
        "method \"" + std::string(text) +
        "\" is not auto, online, batch, incremental, variance-reduced, gradient or exact");
  return static_cast<Method>(found - method_names.begin());
}

std::string_view name(Method method) { return method_names[static_cast<std::size_t>(method)]; }

void save(const FitResult& result, Archive& archive) {
  archive.put("has_parameters", std::uint64_t{result.parameters.size() > 0 ? 1U : 0U});
  if (result.parameters.size() > 0) {
    archive.put("parameters", result.parameters);
    archive.put("statistic", result.statistic);
  }
  archive.put("counts", std::vector<std::uint64_t>{
                            static_cast<std::uint64_t>(result.method), result.rows, result.passes,
                            result.iterations, result.memory, result.converged ? 1U : 0U,
                            std::uint64_t{result.batch_size}, result.buffer});
  archive.put("numbers",
              std::vector<double>{result.weight, result.progressive.value_or(absent),
                                  result.log_likelihood.value_or(absent),
                                  result.rate.value_or(absent), result.baseline.value_or(absent)});
  archive.put("events", result.events.counts());
  if (result.moving) {
    Archive moving;
    save(*result.moving, moving);
    archive.put("moving/", moving);
  }
  save_starts(result.starts, archive);
}

void load(const Archive& archive, const Plan& plan, FitResult& result) {
  const auto& counts = archive.counts("counts");
  const auto& numbers = archive.numbers("numbers");
  if (counts.size() != 8 || numbers.size() != 5 || counts[0] >= method_names.size())
    throw Error("saved fit is damaged");
  result = FitResult();
  if (archive.count("has_parameters") == 1) {
    archive.get("parameters", result.parameters = Parameters(plan.parameters));
    archive.get("statistic", result.statistic = Statistic(plan.statistic));
  }
  result.method = static_cast<Method>(counts[0]);
  result.rows = counts[1];
  result.passes = counts[2];
  result.iterations = counts[3];
  result.memory = counts[4];
  result.converged = counts[5] == 1;
  result.batch_size = counts[6];
  result.buffer = counts[7];
  result.weight = numbers[0];
  result.progressive = present(numbers[1]);
  result.log_likelihood = present(numbers[2]);
  result.rate = present(numbers[3]);
  result.baseline = present(numbers[4]);
  result.events = Events::from_counts(archive.counts("events"));
  result.starts = load_starts(archive);
  if (const Archive moving = archive.nested("moving/"); !moving.empty())
    result.moving = load_moving(moving);
}

void FitSetting::rewind(Source& source) const {
  if (source.rewind()) return;
  const Message other = "use " + option("method", "online");
  if (options.keep == 0)
    throw Error("batch EM reads the rows many times, and these can be read only once",
                {"give an array or a file", other});
  throw Error(
      "batch EM reads the rows many times: this input cannot be read again and does not fit into " +
          option("keep"),
      {"raise " + option("keep"), other});
}

namespace {

Batch begun_baseline(const FitSetting& setting, const Schema& schema, const Block& buffer) {
  Random random(setting.options.online.seed);
  Batch batch(setting.baseline, schema,
              {.max_iterations = 1,
               .regularisation = setting.baseline_regularisation(),
               .pool = setting.options.pool});
  batch.begin(setting.baseline->start(batch.plan(), buffer, random));
  return batch;
}

}  // namespace

double FitSetting::batch_baseline(const Schema& schema, const Block& buffer,
                                  const Block& rows) const {
  Batch batch = begun_baseline(*this, schema, buffer);
  batch.iterate(rows);
  batch.iterate(rows);
  return batch.log_likelihood() / batch.statistic().weight;
}

double FitSetting::batch_baseline(const Schema& schema, const Block& buffer, Source& rows) const {
  Batch batch = begun_baseline(*this, schema, buffer);
  batch.iterate(rows);
  rows.rewind();
  batch.iterate(rows);
  return batch.log_likelihood() / batch.statistic().weight;
}

}  // namespace thalweg
