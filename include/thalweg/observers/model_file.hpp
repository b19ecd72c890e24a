// The model file: JSON text that people can read, numbers that read back bit for bit, written whole or not at all.
#pragma once

#include <thalweg/core/events.hpp>
#include <thalweg/core/statistic.hpp>
#include <thalweg/export.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace thalweg {

/// A named array of numbers, as it stands in the file: nested lists of the given shape. Tables side by side, whose widths are
/// `parts`, stand there as a list of tables.
struct NamedArray {
  std::string name;
  std::vector<std::size_t> shape;
  std::vector<double> values;
  std::vector<std::size_t> parts = {};
};

/// How the model came about. No clock times, paths or thread counts: the same fit gives the same file.
struct Training {
  std::string method;
  double observations = 0;  // total weight
  std::uint64_t rows = 0;
  std::uint64_t passes = 0;
  std::optional<double> progressive_mean_log_likelihood = {};  // nothing for batch fits
  std::optional<double> log_likelihood = {};  // of all rows, where a batch E-step ended the fit
  std::uint64_t iterations = 0;
  bool converged = false;
  std::uint64_t seed = 0;
  std::string step = {};
  std::string average = {};
  std::uint64_t batch_size = 0;
  std::uint64_t buffer = 0;
  Events events = {};
  std::vector<std::string> labels = {};  // names by component, where the rows had names as labels
  std::string taken_at =
      {};  // a fingerprint of the parameters at which the statistics were taken, for merging
};

/// What the M-steps of the fit were told, where that is not what they are told without being asked.
struct RegularisationRecord {
  std::optional<double> floor = {};
  std::optional<double> ridge = {};
  std::vector<std::string> fixed = {};  // "means", "covariances[2]"
  std::vector<NamedArray> prior = {};   // S_0 with the constants of the file
  double prior_weight = 0;              // n_0, in rows
  bool usual_prior = false;             // the model's own, on the first rows; else that of a file

  bool empty() const { return !floor && !ridge && fixed.empty() && prior.empty(); }
};

struct ModelFile {
  std::string model;
  std::map<std::string, std::string> options;
  std::vector<std::string> columns;
  std::map<std::string, std::vector<std::string>> levels;  // of the categorical columns
  std::vector<NamedArray> parameters;
  std::vector<NamedArray> constants;   // the gauge of the statistics
  std::vector<NamedArray> statistics;  // in mean form
  double statistics_weight = 0;
  RegularisationRecord regularisation;
  std::optional<Training> training;
};

/// The pieces of a vector as arrays: the estimated ones, or the constants.
THALWEG_API std::vector<NamedArray> arrays_of(const Named& named, bool constants = false);

/// A regular array of three extents as tables side by side; all others as they are.
THALWEG_API NamedArray as_tables(const NamedArray& array);

/// An array without a piece of its name and shape is an Error.
THALWEG_API void check_shapes(const std::vector<NamedArray>& arrays, const Layout& layout);

/// Puts arrays into the pieces of those names. A wrong shape is an Error; what is absent is left alone.
THALWEG_API void fill_from(const std::vector<NamedArray>& arrays, Named& named);

THALWEG_API std::string to_json(const ModelFile& file);
THALWEG_API ModelFile model_from_json(const std::string& text, const std::string& where);

/// Temporary file beside it, then rename: whatever happens, the old file or the new one is there, whole. `temporary` names it
/// where a killed writer should not leave one more behind each time; else it gets a name of its own.
THALWEG_API void write_whole(const std::string& path, const std::string& content,
                             const std::string& temporary = {});

THALWEG_API void write_model_file(const std::string& path, const ModelFile& file);
THALWEG_API ModelFile read_model_file(const std::string& path);

}  // namespace thalweg
