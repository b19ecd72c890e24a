// The model file: JSON text that people can read, numbers that read back bit for bit, written whole or not at all.
#pragma once

#include <thalweg/catalogue/named_array.hpp>
#include <thalweg/core/events.hpp>
#include <thalweg/export.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace thalweg {

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
  bool provisional =
      false;  // a coarse model of the first rows of a stream, before starts were found
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

THALWEG_API std::string to_json(const ModelFile& file);
THALWEG_API ModelFile model_from_json(const std::string& text, const std::string& where);

THALWEG_API void write_model_file(const std::string& path, const ModelFile& file);
THALWEG_API ModelFile read_model_file(const std::string& path);

}  // namespace thalweg
