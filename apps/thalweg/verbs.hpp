// The verbs of the command line: each adds its flags and gives back what it does, the exit status as result.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>

namespace thalweg::app {

using Run = std::function<int()>;

Run add_fit(CLI::App& app);
Run add_evaluate(CLI::App& app);
Run add_predict(CLI::App& app);
Run add_sample(CLI::App& app);
Run add_show(CLI::App& app);
Run add_models(CLI::App& app);
Run add_merge(CLI::App& app);
Run add_sniff(CLI::App& app);

inline constexpr int done = 0;
inline constexpr int failed = 1;
inline constexpr int wrong_usage = 2;
inline constexpr int interrupted = 130;

}  // namespace thalweg::app
