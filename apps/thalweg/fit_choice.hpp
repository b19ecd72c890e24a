// Which model the flags of fit ask for, and what they must not say together: all that is known before rows are read.
#pragma once

#include "fit_flags.hpp"
#include "notes.hpp"
#include <thalweg/catalogue/fitted.hpp>

#include <optional>
#include <string>
#include <vector>

namespace thalweg::app {

/// The model that the flags ask for; what --init says fills the gaps and must not be contradicted.
struct Choice {
  const Entry* entry = nullptr;
  ModelOptions options;
  std::optional<Fitted> init;
  std::optional<Range> range;
  std::vector<std::string> over = {};  // options whose value is `all`: every choice is compared

  /// Why there are several fits, as the user said it ("-k 1:9"); empty where there is one.
  std::string several() const;
};

Choice choose(const FitFlags& flags, Notes& notes);

/// How labels become components: the names of --init go on.
LabelOptions label_options(const FitFlags& flags, const Choice& choice);

/// What a model of categories reads: the columns that are named, all of them by their levels.
void choose_categories(InputFlags& input);

/// Output files are looked at before the work, not after it, and never take the place of what is read.
void check_outputs(const FitFlags& flags);

}  // namespace thalweg::app
