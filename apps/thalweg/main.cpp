// thalweg: fits latent-variable models to streams.
#include "catalogue/options.hpp"
#include "core/nearest.hpp"
#include "interrupts.hpp"
#include "verbs.hpp"
#include <thalweg/core/error.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <utility>
#include <vector>

namespace {

using namespace thalweg;

constexpr const char* version = THALWEG_VERSION;

int complain(const std::string& what, int status) {
  fmt::print(stderr, "thalweg: {}\n", what);
  return status;
}

/// One line for a wrong command line, with the flag or verb that was probably meant.
int usage_error(const CLI::App& app, const CLI::ParseError& error, const std::string& first_word) {
  const auto verbs = app.get_subcommands();
  const CLI::App& here = verbs.empty() ? app : *verbs.front();
  const std::string help =
      here.get_parent() ? "thalweg " + here.get_name() + " --help" : "thalweg --help";
  const auto meant = [](const std::string& word, const std::vector<std::string>& known) {
    const auto nearest = nearest_name(word, known);
    return nearest ? fmt::format(", did you mean {}?", *nearest) : "";
  };
  std::string what = error.what();
  if (verbs.empty()) {
    std::vector<std::string> known;
    for (const CLI::App* verb : app.get_subcommands(nullptr)) known.push_back(verb->get_name());
    what = first_word.empty()
               ? "no verb given, expected one of fit, evaluate, predict, …"
               : fmt::format("no verb \"{}\"{}", first_word, meant(first_word, known));
  } else if (dynamic_cast<const CLI::ExtrasError*>(&error)) {
    std::vector<std::string> known;
    for (const CLI::Option* option : here.get_options())
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    const std::string word = what.substr(what.find_last_of(' ') + 1);
    what = fmt::format("{} {}{}", word.starts_with('-') ? "unknown flag" : "unexpected", word,
                       meant(word.substr(0, word.find('=')), known));
  }
  for (char& c : what)
    if (c == '\n') c = ' ';
  return complain(fmt::format("{} ({})", what, help), app::wrong_usage);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Fits mixtures to data of any length by online EM: one pass, constant memory.\n"
      "Start with:  thalweg fit data.csv -k 3 -o model.json"};
  app.name("thalweg");
  app.set_version_flag("--version", fmt::format("thalweg {}", version));
  app.require_subcommand(1);
  const std::vector<std::pair<std::string, thalweg::app::Run>> verbs = {
      {"fit", app::add_fit(app)},         {"evaluate", app::add_evaluate(app)},
      {"predict", app::add_predict(app)}, {"sample", app::add_sample(app)},
      {"show", app::add_show(app)},       {"models", app::add_models(app)},
      {"merge", app::add_merge(app)},     {"sniff", app::add_sniff(app)},
  };
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wanted) {  // --help, --version
    return app.exit(wanted);
  } catch (const UsageError& error) {
    return complain(in_command(error.message()), app::wrong_usage);
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error, argc > 1 ? argv[1] : "");
  }
  try {
    for (const auto& [name, run] : verbs)
      if (app.got_subcommand(name)) {
        const int status = run();
        if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
          return complain("standard output cannot be written", app::failed);
        return status;
      }
  } catch (const UsageError& error) {
    return complain(in_command(error.message()), app::wrong_usage);
  } catch (const app::Interrupted& error) {
    return complain(in_command(error.message()), app::interrupted);
  } catch (const Error& error) {
    return complain(in_command(error.message()), app::failed);
  } catch (const std::bad_alloc&) {
    return complain("out of memory (a smaller -k or --keep may help)", app::failed);
  } catch (const std::exception& error) {
    return complain(error.what(), app::failed);
  }
  return app::wrong_usage;
}
