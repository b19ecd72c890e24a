// Flags whose values are numbers, read strictly: no negative count, no overflow, one clear line.
#pragma once

#include <thalweg/core/error.hpp>
#include <thalweg/core/text.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <thread>

namespace thalweg::app {

/// A whole number from `least` on.
template <class Count>
CLI::Option* add_count(CLI::App& verb, const std::string& names, Count& count,
                       const std::string& help, std::uint64_t least = 0) {
  const std::string flag = names.substr(names.find_last_of(',') + 1);
  return verb.add_option_function<std::string>(
      names,
      [&count, flag, least](const std::string& text) {
        const auto value = to_count(text);
        if (!value || *value < least || *value > (std::uint64_t{1} << 62U))
          throw UsageError(flag + " \"" + text + "\" is not a whole number from " +
                           std::to_string(least) + " on");
        count = *value;
      },
      help);
}

/// --threads, all cores unless said otherwise.
inline void add_threads(CLI::App& verb, std::uint64_t& threads) {
  constexpr std::uint64_t most = 1024;
  threads = std::max<std::uint64_t>(std::thread::hardware_concurrency(), 1);
  verb.add_option_function<std::string>(
          "--threads",
          [&threads](const std::string& text) {
            const auto value = to_count(text);
            if (!value || *value < 1 || *value > most)
              throw UsageError("--threads \"" + text + "\" is not a whole number from 1 to " +
                               std::to_string(most));
            threads = *value;
          },
          "threads for the work; the result is the same for any number (all cores)")
      ->type_name("T");
}

/// Any number.
template <class Number>
CLI::Option* add_number(CLI::App& verb, const std::string& name, Number& number,
                        const std::string& help) {
  return verb.add_option_function<std::string>(
      name,
      [&number, name](const std::string& text) {
        const auto value = to_number(text);
        if (!value) throw UsageError(name + " \"" + text + "\" is not a number");
        number = *value;
      },
      help);
}

}  // namespace thalweg::app
