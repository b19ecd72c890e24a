// The flags of `fit`, and what they mean to the library.
#pragma once

#include "input.hpp"
#include <thalweg/catalogue/catalogue.hpp>
#include <thalweg/estimators/fit.hpp>
#include <thalweg/sources/reordered.hpp>

#include <CLI/CLI.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace thalweg::app {

/// -k 3 or -r 3, or -k 1:9 to compare.
struct Range {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  bool several() const { return last > first; }
};

struct FitFlags {
  InputFlags input;
  std::string output;
  std::string model;                                 // empty: gaussian, or what --init says
  std::map<std::string, std::string> model_options;  // by option name; only those given

  std::string method = "auto";
  std::string accelerate;  // empty: squarem for auto, none for batch
  std::string step = "0.6";
  std::optional<std::uint64_t> batch_size;
  std::optional<std::uint64_t> buffer;
  std::uint64_t warmup = 0;
  std::string average = "poly:3";
  std::string average_of = "statistic";
  std::uint64_t passes = 1;
  std::string order = "sequential";
  double tolerance = 1e-8;
  std::uint64_t max_iterations = 10000;
  std::optional<double> floor;  // only where given, and so is the ridge
  std::optional<double> ridge;
  std::string prior;  // a strength or a file
  std::string fix;
  std::string order_components = "none";
  std::uint64_t threads = cores();
  std::string keep = "64M";
  std::string init;
  std::string continue_from;
  std::string one_step_from;
  std::uint64_t starts = 8;
  std::uint64_t seed = 0;
  std::string validate;
  std::string trace;
  std::string checkpoint;
  std::string checkpoint_every = "30s";
  bool resume = false;
  std::string choose_by = "bic";
  std::string progress = "auto";
  bool quiet = false;
  bool json = false;

  Terms terms = {};  // what --fix and the files of --prior and --continue say: see choose_terms

  void add(CLI::App& verb);

  FitOptions options() const;

  /// What decides about the result, a line each: a checkpoint belongs to them.
  std::vector<std::string> settings() const;
  std::uint64_t keep_bytes() const;
  std::optional<double> prior_strength() const;  // nothing when there is no prior, or a file
  static std::uint64_t cores();
  Order row_order() const { return parse_order(order); }
  bool steps() const;  // the method learns mini-batches as they come
  std::optional<Range> size(const Entry& entry) const;  // nothing when -k (or -r) was not given

 private:
  void check_method(Method asked) const;
};

}  // namespace thalweg::app
