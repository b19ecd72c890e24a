// Flags: of the table of options, with the help, value and checks of their rows, and counts that one verb alone has.
#pragma once

#include "catalogue/option_values.hpp"
#include "core/text.hpp"
#include <thalweg/core/error.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace thalweg::app {

inline std::uint64_t cores() {
  return std::max<std::uint64_t>(std::thread::hardware_concurrency(), 1);
}

/// What the help of the command says of a row.
inline std::string help_of(const Option& row) {
  return in_command(Message::parse(help_with_default(row)));
}

/// A flag whose value, read strictly by its row, goes to `take`: no negative count, no overflow, one clear line.
template <class Take>
CLI::Option* add_row_function(CLI::App& verb, OptionId id, const Take& take) {
  CLI::Option* flag = verb.add_option_function<std::string>(
      std::string(id->flag),
      [id, take](const std::string& text) {
        OptionValues value;
        value.set(id, text);
        take(value);
      },
      help_of(*id));
  flag->type_name(std::string(id->value));
  if (!id->choices.empty())
    flag->check(CLI::IsMember(std::vector<std::string>(id->choices.begin(), id->choices.end())));
  return flag;
}

template <class Number>
concept CountLike =
    std::same_as<Number, std::uint64_t> || std::same_as<Number, std::optional<std::uint64_t>>;

template <CountLike Count>
CLI::Option* add_row(CLI::App& verb, OptionId id, Count& count) {
  return add_row_function(verb, id, [&count, id](const OptionValues& v) { count = v.count(id); });
}
inline CLI::Option* add_row(CLI::App& verb, OptionId id, std::optional<double>& number) {
  return add_row_function(verb, id,
                          [&number, id](const OptionValues& v) { number = v.number(id); });
}
inline CLI::Option* add_row(CLI::App& verb, OptionId id, std::string& text) {
  return add_row_function(verb, id, [&text, id](const OptionValues& v) { text = v.text(id); });
}
inline CLI::Option* add_row(CLI::App& verb, OptionId id, std::vector<std::string>& names) {
  return verb.add_option(std::string(id->flag), names, help_of(*id))
      ->type_name(std::string(id->value));
}
inline CLI::Option* add_row(CLI::App& verb, OptionId id, bool& given) {
  return verb.add_flag(std::string(id->flag), given, help_of(*id));
}

/// A whole number from 0 on, of a flag that one verb alone has.
inline CLI::Option* add_count(CLI::App& verb, const std::string& names, std::uint64_t& count,
                              const std::string& help) {
  const std::string flag = names.substr(names.find_last_of(',') + 1);
  return verb.add_option_function<std::string>(
      names,
      [&count, flag](const std::string& text) {
        const auto value = to_count(text);
        if (!value || *value > (std::uint64_t{1} << 62U))
          throw UsageError(flag + " \"" + text + "\" is not a whole number from 0 on");
        count = *value;
      },
      help);
}

/// --threads, all cores unless said otherwise.
inline void add_threads(CLI::App& verb, std::uint64_t& threads) {
  threads = cores();
  add_row(verb, "threads", threads);
}

}  // namespace thalweg::app
