// Names, options and descriptions of the catalogue are complete, and agree with what the models say of themselves.
#include "catalogue/options.hpp"
#include "core/domain.hpp"
#include <thalweg/catalogue/catalogue.hpp>
#include <thalweg/catalogue/fitted.hpp>
#include <thalweg/core/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace test_entries {

using namespace thalweg;

template <class Act>
std::string usage_error(const Act& act) {
  try {
    act();
  } catch (const UsageError& error) {
    return in_command(error.message());
  }
  return "no error";
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(FindEntry, SuggestsTheNearestName) {
  EXPECT_EQ(find_entry("poisson").name, "poisson");
  const auto message = [](const char* name) { return usage_error([=] { find_entry(name); }); };
  EXPECT_TRUE(says(message("possion"), "did you mean poisson?")) << message("possion");
  EXPECT_TRUE(says(message("Gaussian"), "did you mean gaussian?")) << message("Gaussian");
  EXPECT_TRUE(says(message("gauss"), "did you mean gaussian?")) << message("gauss");
  EXPECT_FALSE(says(message("xyz"), "did you mean")) << message("xyz");
  EXPECT_TRUE(says(message("xyz"), "\"xyz\"")) << message("xyz");
  EXPECT_NE(message(""), "no error");
}

TEST(Options, AreChecked) {
  const Entry& gaussian = find_entry("gaussian");
  const auto message = [&](const ModelOptions& options) {
    return usage_error([&] { gaussian.make(options, Schema::numbered(1)); });
  };
  EXPECT_TRUE(says(message({}), "needs -k")) << message({});
  for (const char* count :
       {"0", "-1", "1.5", "two", "", "1e3", "1000001", "99999999999999999999"}) {
    const std::string text = message({{"components", count}});
    EXPECT_TRUE(says(text, "-k") && says(text, std::string("\"") + count + "\"")) << text;
  }
  EXPECT_TRUE(
      says(message({{"components", "2"}, {"covariance", "round"}}), "full, tied, diag, spherical"));
  EXPECT_TRUE(says(message({{"components", "2"}, {"rank", "1"}}), "knows no -r"));
  EXPECT_TRUE(says(usage_error([] {
                     find_entry("poisson").make({{"components", "2"}, {"covariance", "diag"}},
                                                Schema::numbered(1));
                   }),
                   "poisson knows no --covariance"));
}

TEST(Options, DefaultsAreFilledIn) {
  const ModelOptions all = find_entry("gaussian").complete({{"components", "2"}});
  EXPECT_EQ(all.text("covariance"), "full");
  EXPECT_EQ(all.count("components"), 2U);
  EXPECT_THROW(all.text("rank"), UsageError);
  EXPECT_THROW(all.count("covariance"), UsageError);
}

TEST(Options, MeanNothingBesideSomeOthers) {
  const Entry& hmm = find_entry("hmm");
  EXPECT_EQ(hmm.complete({{"components", "2"}}).text("covariance"), "full");
  const ModelOptions counts = hmm.complete({{"components", "2"}, {"emission", "poisson"}});
  EXPECT_FALSE(counts.values().contains("covariance"));
  EXPECT_EQ(usage_error([&] {
              hmm.complete({{"components", "2"}, {"emission", "poisson"}, {"covariance", "diag"}});
            }),
            "model hmm: --covariance means nothing to --emission poisson (it goes with --emission "
            "gaussian)");
}

TEST(Columns, AreNumbersOrCategoriesAsTheModelTakesThem) {
  const Schema numbers{{"x", "colour"}};
  const Schema both{{"x", "colour"}, {{}, {"red", "green"}}};
  const auto message = [](const char* name, const Schema& schema) {
    return usage_error([&] { find_entry(name).make({{"components", "2"}}, schema); });
  };
  EXPECT_EQ(message("gaussian", both),
            "model gaussian takes no categorical columns, column \"colour\" is one (--model "
            "categorical takes them)");
  EXPECT_EQ(message("categorical", both),
            "model categorical needs categorical columns, column \"x\" is numeric (--categorical "
            "names those that are read by their levels)");
  EXPECT_EQ(message("gaussian", numbers), "no error");
  for (const Entry& entry : catalogue())
    for (const Example& example : entry.examples())
      EXPECT_EQ(
          entry.takes_sequences,
          entry.make(example.options, example.schema)->plan(example.schema).unit == Unit::sequence)
          << entry.name;
}

/// An entry, and which of its examples.
struct Kind {
  std::string entry;
  std::size_t example = 0;
};

std::string name_of(const Kind& kind) {
  const Entry& entry = find_entry(kind.entry);
  const std::string example = entry.examples().at(kind.example).name;
  return example.empty() ? entry.name : entry.name + "_" + example;
}

[[maybe_unused]] void PrintTo(const Kind& kind, std::ostream* out) { *out << name_of(kind); }

class Entries : public testing::TestWithParam<Kind> {
 protected:
  const Entry& entry_ = find_entry(GetParam().entry);
  const Example example_ = entry_.examples().at(GetParam().example);
  const std::shared_ptr<const Model> model_ = entry_.make(example_.options, example_.schema);
  const Plan plan_ = model_->plan(example_.schema);
};

TEST_P(Entries, AreDescribed) {
  EXPECT_FALSE(entry_.summary.empty() || entry_.density.empty());
  EXPECT_EQ(entry_.summary.find('\n'), std::string::npos);
  std::set<std::string> names;
  for (const Option& option : entry_.options) {
    EXPECT_TRUE(names.emplace(option.name).second && names.emplace(option.flag).second);
    EXPECT_TRUE(option.flag.starts_with("-")) << option.flag;
    EXPECT_FALSE(option.help.empty()) << option.name;
    for (const std::string_view choice : option.choices)
      EXPECT_TRUE(says(std::string(option.help), std::string(choice))) << option.help;
    if (option.is_count() || option.standard.empty()) continue;
    EXPECT_EQ(std::ranges::count(option.choices, option.standard), 1) << option.name;
  }
}

/// "K × d (diag), d × d (tied) or K (spherical)": one of the alternatives has as many extents, K for K, r for r and d for d.
bool shape_fits(const std::string& text, const Piece& piece, std::size_t K, std::size_t r,
                std::size_t d) {
  if (!piece.parts.empty())  // of each column a table
    return text == "d × K × levels" && piece.parts.size() == d && piece.shape[0] == K;
  std::vector<std::vector<std::size_t>> alternatives(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') i = text.find(')', i);
    const bool alternative = text.compare(i, 4, " or ") == 0;
    if (alternative || text[i] == ',') alternatives.emplace_back();
    if (alternative) i += 3;
    if (text[i] == 'K') alternatives.back().push_back(K);
    if (text[i] == 'd') alternatives.back().push_back(d);
    if (text[i] == 'r') alternatives.back().push_back(r);
  }
  return std::ranges::count(alternatives, piece.shape) == 1;
}

TEST_P(Entries, DescribeEveryParameterAndNoOther) {
  std::vector<std::string> estimated;
  for (const Piece& piece : plan_.parameters->pieces()) {
    if (piece.constant) continue;
    estimated.push_back(piece.name);
    const auto info = std::ranges::find(entry_.parameters, piece.name, &ParameterInfo::name);
    ASSERT_NE(info, entry_.parameters.end()) << piece.name << " is not described";
    EXPECT_FALSE(info->meaning.empty()) << piece.name;
    const std::size_t size = example_.options.count(entry_.size().name);
    EXPECT_TRUE(shape_fits(info->shape, piece, size, size, example_.schema.width()))
        << piece.name << ": " << info->shape;
  }
  const auto is_there = [this](const OnlyWith& only) {
    return only.option.empty() || example_.options.text(only.option) == only.value;
  };
  for (const ParameterInfo& info : entry_.parameters)
    EXPECT_EQ(std::ranges::count(estimated, info.name), is_there(info.only) ? 1 : 0)
        << info.name << " is no parameter";
}

/// Axes and domains say it too, and must not say something else.
TEST_P(Entries, SayWhatIsLatent) {
  const auto& pieces = plan_.parameters->pieces();
  const bool factors = std::ranges::count(pieces, Domain::loadings, &Piece::domain) > 0;
  const bool states = std::ranges::any_of(pieces, [](const Piece& piece) {
    return std::ranges::count(piece.axes, Axis::component) > 1;
  });
  EXPECT_EQ(entry_.latent, factors  ? Latent::factors
                           : states ? Latent::states
                                    : Latent::components);
  EXPECT_EQ(entry_.has_components(), plan_.parameters->extent(Axis::component) > 0);
}

/// Options that parameters tell, columns and levels need not stand in a model file.
TEST_P(Entries, AreReadFromParametersAlone) {
  Fitted fitted = prepare(entry_, example_.options, example_.schema);
  fitted.parameters = example_.truth;
  const ModelFile whole = to_file(fitted);
  const ModelFile bare{.model = whole.model,
                       .options = {},
                       .columns = {},
                       .levels = {},
                       .parameters = whole.parameters,
                       .constants = whole.constants,
                       .statistics = {},
                       .regularisation = {},
                       .training = {}};
  const Fitted back = from_file(bare, "bare");
  for (const Option& option : entry_.options) {
    if (!option.in_parameters || !fitted.options.values().contains(std::string(option.name)))
      continue;
    EXPECT_EQ(back.options.text(option.name), fitted.options.text(option.name)) << option.name;
  }
  EXPECT_EQ(back.schema.columns, Schema::numbered(example_.schema.width()).columns);
  ASSERT_EQ(back.schema.levels.size(), example_.schema.levels.size());
  for (std::size_t j = 0; j < back.schema.levels.size(); ++j)
    EXPECT_EQ(back.schema.levels[j].size(), example_.schema.levels[j].size());
  EXPECT_TRUE(std::ranges::equal(back.parameters.values(), example_.truth.values()));
}

TEST_P(Entries, HaveAnExampleThatIsHard) {
  if (entry_.has_components()) {
    const auto weights = example_.truth[plan_.parameters->pieces().front().name];
    EXPECT_EQ(weights.size(), 3U) << "two components hide transposed indices";
    EXPECT_EQ(std::set<double>(weights.begin(), weights.end()).size(), 3U) << "asymmetric";
    EXPECT_NE(example_.schema.width(), 3U) << "K and d must not be mixed up unseen";
  } else {
    const auto loadings = example_.truth["loadings"];
    EXPECT_EQ(std::set<double>(loadings.begin(), loadings.end()).size(), loadings.size());
  }
  EXPECT_TRUE(example_.truth.finite());
  EXPECT_EQ(example_.truth.size(), plan_.parameters->size());
  Random random(1, 0);
  std::vector<double> row(example_.schema.width());
  for (int i = 0; i < 100; ++i) {
    draw(*model_, example_.truth, random, row.data());
    EXPECT_NO_THROW(model_->check(example_.schema, dense_block(row.data(), 1, row.size())));
  }
}

TEST_P(Entries, SayWhatTheyTake) {
  const auto takes = [this](double cell) {
    std::vector<double> row(example_.schema.width(), 1.0);
    row.back() = cell;
    try {
      model_->check(example_.schema, dense_block(row.data(), 1, row.size()));
    } catch (const RowError& error) {
      EXPECT_TRUE(says(error.what(), example_.schema.columns.back())) << error.what();
      return false;
    }
    return true;
  };
  EXPECT_TRUE(takes(1));
  // What a state emits is what a mixture of that name takes.
  const Entry& cells =
      entry_.option("emission") ? find_entry(example_.options.text("emission")) : entry_;
  EXPECT_EQ(takes(0.5), !cells.takes_counts_only);
  EXPECT_EQ(takes(0) && !takes(-1), cells.takes_counts_only);
  EXPECT_EQ(takes(0), !cells.takes_positive_only);
  EXPECT_EQ(takes(std::nan("")), entry_.takes_missing);
  EXPECT_FALSE(takes(HUGE_VAL));
}

/// One for each estimated number, less one for each simplex; of a symmetric matrix one triangle.
TEST_P(Entries, CountFreeParameters) {
  std::size_t numbers = 0;
  for (const Piece& piece : plan_.parameters->pieces()) {
    if (piece.constant) continue;
    for (std::size_t i = 0; i < piece.size(); ++i) {
      const std::size_t d = piece.shape.empty() ? 1 : piece.shape.back();
      const bool mirrored = piece.domain == Domain::covariance && i / d % d < i % d;
      numbers += mirrored ? 0 : 1;
    }
    if (piece.domain == Domain::simplex) --numbers;
    if (piece.domain == Domain::distributions)
      numbers -= piece.shape[0] * piece.distributions().size();
    if (piece.domain == Domain::loadings)  // a rotation for each pair of factors
      numbers -= piece.shape.back() * (piece.shape.back() - 1) / 2;
  }
  EXPECT_EQ(plan_.free_parameters, numbers);
  EXPECT_GE(plan_.rows_needed, 3U);
}

/// A truth that the model file's own check would take, and that hides no correlation.
TEST_P(Entries, HaveATruthThatIsValid) {
  for (const Piece& piece : plan_.parameters->pieces()) {
    const auto values = example_.truth[piece.name];
    EXPECT_EQ(domain_fault(piece, values), "");
    if (piece.domain == Domain::positive) {
      EXPECT_GT(std::ranges::min(values), 0) << piece.name;
    }
    if (piece.domain != Domain::covariance) continue;
    ASSERT_EQ(piece.shape.back(), 2U);
    for (std::size_t at = 0; at < values.size(); at += 4) {
      EXPECT_EQ(values[at + 1], values[at + 2]);
      EXPECT_NE(values[at + 1], 0);
      EXPECT_GT(values[at] * values[at + 3], values[at + 1] * values[at + 2]);
    }
  }
}

std::vector<Kind> kinds() {
  std::vector<Kind> all;
  for (const Entry& entry : catalogue())
    for (std::size_t i = 0; i < entry.examples().size(); ++i) all.push_back({entry.name, i});
  return all;
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Entries, testing::ValuesIn(kinds()), [](const auto& test) {
  std::string name = name_of(test.param);
  std::ranges::replace(name, '-', '_');
  return name;
});

/// A choice that no example shows would escape the laws.
TEST(Catalogue, EveryChoiceOfAnOptionHasAnExample) {
  for (const Entry& entry : catalogue())
    for (const Option& option : entry.options)
      for (const std::string_view choice : option.choices)
        EXPECT_TRUE(std::ranges::any_of(entry.examples(),
                                        [&](const Example& example) {
                                          const auto& values = example.options.values();
                                          const auto found = values.find(std::string(option.name));
                                          return found != values.end() && found->second == choice;
                                        }))
            << entry.name << " " << option.flag << " " << choice;
}

TEST(Catalogue, ASizeIsThereOrRefused) {
  EXPECT_EQ(find_entry("ppca").size().name, "rank");
  Entry bare = find_entry("ppca");
  bare.options.clear();
  EXPECT_FALSE(bare.has_size());
  EXPECT_EQ(usage_error([&] { bare.size(); }), "model ppca has no number of components or factors");
}

TEST(Catalogue, ClassesOfPythonAreNamed) {
  Entry entry = find_entry("poisson");
  EXPECT_EQ(python_class(entry), "PoissonMixture");
  entry.name = "one-two";
  entry.latent = Latent::states;
  EXPECT_EQ(python_class(entry), "OneTwo");
  EXPECT_EQ(python_class(find_entry("ppca")), "PPCA");
}

TEST(Catalogue, NamesAreDifferent) {
  std::vector<std::string> all;
  for (const Kind& kind : kinds()) all.push_back(name_of(kind));
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), all.size());
}

}  // namespace test_entries
