// The experiments of Cappé, "Online Expectation-Maximisation", and some more on the same models.
//
//   cappe2010 FOLDER [--only NAME]… [--share F] [--threads T]     writes FOLDER/NAME.csv; plot.py draws them
#include "study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <exception>
#include <string_view>
#include <thread>

namespace {

using namespace cappe2010;

struct Experiment {
  std::string_view name;
  void (*run)(const Study&);
};

constexpr Experiment experiments[] = {
    {"batch_ppca", batch_ppca},     {"online_ppca", online_ppca},
    {"trajectories", trajectories}, {"tours", tours},
    {"limiting", limiting},         {"efficiency", efficiency},
    {"mini_batches", mini_batches}, {"passes", passes},
    {"gradient", gradient},
};

int run(const std::vector<std::string>& words) {
  std::string folder;
  std::vector<std::string> only;
  double share = 1;
  std::size_t threads = std::max(1U, std::thread::hardware_concurrency());
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool flag = words[i].starts_with("--");
    if (flag && i + 1 == words.size()) throw UsageError(words[i] + " needs a value");
    if (words[i] == "--only") {
      only.push_back(words[++i]);
    } else if (words[i] == "--share") {
      share = std::atof(words[++i].c_str());
    } else if (words[i] == "--threads") {
      threads = std::strtoul(words[++i].c_str(), nullptr, 10);
    } else if (flag || !folder.empty()) {
      throw UsageError("unexpected " + words[i]);
    } else {
      folder = words[i];
    }
  }
  if (folder.empty()) throw UsageError("cappe2010 needs a folder to write to");
  for (const std::string& name : only)
    if (std::ranges::none_of(experiments, [&](const Experiment& e) { return e.name == name; }))
      throw UsageError("there is no experiment " + name);
  const Study study(folder, share, threads);
  for (const Experiment& experiment : experiments) {
    if (!only.empty() && std::ranges::find(only, experiment.name) == only.end()) continue;
    const auto begin = std::chrono::steady_clock::now();
    experiment.run(study);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    fmt::print(stderr, "{:<14} {:6.1f} s\n", experiment.name, took.count());
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "cappe2010: {}\n", error.what());
    return 1;
  }
}
