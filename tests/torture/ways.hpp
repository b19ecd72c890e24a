// Every way to fit a mixture that the library has, on a small table.
#pragma once

#include "list_source.hpp"
#include "sound.hpp"
#include "tables.hpp"
#include <thalweg/estimators/fit.hpp>

namespace torture {

struct Way {
  const char* name;
  Method method = Method::automatic;
  bool small_buffer = false;  // a third of the rows start it, the others are a stream
  std::uint64_t passes = 1;
  bool textbook = false;  // one row a step from given parameters
  double floor = 1e-6;

  /// Without a floor a covariance may be 1e14 times as long as wide; its own digits then hold a log density to some 1e-2.
  double relative() const { return floor > 0 ? 1e-6 : 0.1; }
};

inline std::ostream& operator<<(std::ostream& out, const Way& way) { return out << way.name; }

inline constexpr std::array ways{
    Way{.name = "automatic"},
    Way{.name = "automatic_stream", .small_buffer = true},
    Way{.name = "batch", .method = Method::batch},
    Way{.name = "online", .method = Method::online, .small_buffer = true},
    Way{.name = "online_two_passes", .method = Method::online, .small_buffer = true, .passes = 2},
    Way{.name = "automatic_no_floor", .floor = 0},
    Way{.name = "online_no_floor", .method = Method::online, .small_buffer = true, .floor = 0},
    Way{.name = "textbook_no_floor", .method = Method::online, .textbook = true, .floor = 0},
    Way{.name = "textbook", .method = Method::online, .textbook = true},
    Way{.name = "textbook_two_passes", .method = Method::online, .passes = 2, .textbook = true},
};

/// The fit of a model to the table of a recipe; a small buffer has at least so many rows.
inline FitResult fit_in(const Way& way, const Recipe& recipe, const Table& rows,
                        const std::shared_ptr<const Model>& model, std::size_t least_buffer,
                        FitOptions options) {
  options.method = way.method;
  options.passes = way.passes;
  options.regularisation.floor = way.floor;
  options.batch.max_iterations = 100;
  options.online.starts = 3;
  options.online.seed = recipe.seed;
  if (way.small_buffer) {
    options.online.buffer = std::max<std::uint64_t>(rows.rows() / 3, least_buffer);
    options.online.batch_size = 1 + recipe.seed % 7;
  }
  if (way.textbook) {
    options.online.buffer = 0;
    options.online.batch_size = 1;
    options.online.warmup = recipe.seed % 2 == 0 ? 0 : 20;
  }
  samples::ListSource source(rows, 1 + recipe.seed % 64);
  Fit fit(model, options);
  if (way.textbook) {
    Random random(recipe.seed);
    fit.begin(
        model->start(model->plan(Schema::numbered(rows.block().columns)), rows.block(), random));
  }
  return fit.run(source);
}

/// What is wrong with the fit of this table; empty when all is well. Only too few rows may be refused.
inline std::string trouble_with(const Recipe& recipe, const Way& way, Shape shape,
                                const FitOptions& options = {}) {
  const Table rows = table(recipe);
  const auto model = samples::gaussian_model(shape, recipe.components);
  const std::size_t needed = model->plan(Schema::numbered(rows.columns())).rows_needed;
  try {
    const FitResult result = fit_in(way, recipe, rows, model, recipe.components, options);
    return unsound(*model, shape, result.parameters, result.log_likelihood, rows.block(),
                   way.relative());
  } catch (const Error& e) {
    return rows.rows() < needed ? "" : std::string("refused: ") + e.what();
  } catch (const std::exception& e) {
    return std::string("exception: ") + e.what();
  }
}

}  // namespace torture
