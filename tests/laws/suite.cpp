// Runs the table over the whole catalogue, and checks that the table is complete.
#include "known.hpp"
#include "laws.hpp"

#include <algorithm>
#include <iostream>
#include <set>

namespace laws {
namespace {

struct Case {
  const Law* law;
  std::shared_ptr<const Subject> subject;
  Who who;
};

/// Every case is in one of four suites, so that no check grows with the catalogue without end. A cell of the table, law × estimator,
/// has its representatives, the models that come next in turn: the first of them is in `few`.
struct Suites {
  std::vector<Case>
      few;  // Laws, in every build: a case for each cell, however many models there are
  std::vector<Case> wide;  // WideLaws, in `make check`: the next in turn, up to its budget
  std::vector<Case>
      statistical;  // SlowLaws, there too: they need many rows, and have a budget of their own
  std::vector<Case> all_others;  // LongLaws, in `make check-long`
};

constexpr std::size_t models_of_a_cell = 12;  // in `make check`
constexpr std::size_t models_of_a_statistical_cell = 12;

std::vector<std::shared_ptr<const Subject>> everybody() {
  static const auto all = [] {
    std::vector<std::shared_ptr<const Subject>> made;
    for (Subject& subject : subjects())
      made.push_back(std::make_shared<const Subject>(std::move(subject)));
    return made;
  }();
  return all;
}

/// Of whom the law speaks, under an estimator that takes them.
std::vector<std::shared_ptr<const Subject>> concerned_by(const Law& law, Who who) {
  std::vector<std::shared_ptr<const Subject>> concerned;
  for (const auto& subject : everybody())
    if ((!law.concerns || law.concerns(*subject)) &&
        (who != Who::gradient || tells_moments(*subject)))
      concerned.push_back(subject);
  return concerned;
}

Suites make_suites() {
  Suites suites;
  std::size_t turn = 0;
  for (const Law& law : table()) {
    for (std::size_t w = 0; w < who_names.size(); ++w) {
      const Strength strength = law.cells[w];
      if (strength == Strength::not_applicable) continue;
      const auto concerned = concerned_by(law, static_cast<Who>(w));
      ++turn;
      for (std::size_t i = 0; i < concerned.size(); ++i) {
        const Case next{&law, concerned[(turn + i) % concerned.size()], static_cast<Who>(w)};
        if (strength == Strength::statistical)
          (i < models_of_a_statistical_cell ? suites.statistical : suites.all_others)
              .push_back(next);
        else if (i == 0)
          suites.few.push_back(next);
        else
          (i < models_of_a_cell ? suites.wide : suites.all_others).push_back(next);
      }
    }
  }
  return suites;
}

const Suites& suites() {
  static const Suites made = make_suites();
  return made;
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  const auto who = who_names[static_cast<std::size_t>(info.param.who)];
  std::string name =
      std::string(info.param.law->name) + "_" + std::string(who) + "_" + info.param.subject->name();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

void hold(const Case& c) {
  SCOPED_TRACE(std::string(c.law->sentence));
  c.law->hold({*c.subject, c.who, c.law->strength(c.who)});
}

/// How a failed case is named.
[[maybe_unused]] void PrintTo(const Case& c, std::ostream* out) {
  *out << c.law->name << " of " << c.subject->name();
}

class Laws : public testing::TestWithParam<Case> {};
class WideLaws : public testing::TestWithParam<Case> {};
class SlowLaws : public testing::TestWithParam<Case> {};
class LongLaws : public testing::TestWithParam<Case> {};

TEST_P(Laws, Hold) { hold(GetParam()); }
TEST_P(WideLaws, Hold) { hold(GetParam()); }
TEST_P(SlowLaws, Hold) { hold(GetParam()); }
TEST_P(LongLaws, Hold) { hold(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Catalogue, Laws, testing::ValuesIn(suites().few), case_name);
INSTANTIATE_TEST_SUITE_P(Catalogue, WideLaws, testing::ValuesIn(suites().wide), case_name);
INSTANTIATE_TEST_SUITE_P(Catalogue, SlowLaws, testing::ValuesIn(suites().statistical), case_name);
INSTANTIATE_TEST_SUITE_P(Catalogue, LongLaws, testing::ValuesIn(suites().all_others), case_name);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LongLaws);  // as long as the budget covers all

/// The bounds of docs/testing.md: what a model adds to a check ends somewhere.
TEST(LawTable, KeepsItsBudget) {
  std::size_t cells = 0;
  std::size_t pairs = 0;
  for (const Law& law : table()) {
    for (std::size_t w = 0; w < who_names.size(); ++w) {
      if (law.cells[w] == Strength::not_applicable) continue;
      ++cells;
      pairs += concerned_by(law, static_cast<Who>(w)).size();
    }
  }
  const Suites& all = suites();
  EXPECT_LE(all.few.size(), cells);
  EXPECT_LE(all.few.size() + all.wide.size() + all.statistical.size(), 12 * cells);
  EXPECT_EQ(all.few.size() + all.wide.size() + all.statistical.size() + all.all_others.size(),
            pairs)
      << "no case is in two suites, none is lost";
  std::set<std::string> met;
  for (const Case& c : all.few) met.insert(c.subject->name());
  EXPECT_EQ(met.size(), everybody().size()) << "each model has its turn in every build";
}

TEST(LawTable, SaysWhyWhereALawDoesNotApply) {
  std::set<std::string_view> names;
  for (const Law& law : table()) {
    EXPECT_TRUE(names.insert(law.name).second) << law.name << " twice";
    ASSERT_NE(law.hold, nullptr) << law.name;
    const bool everywhere = std::ranges::count(law.cells, Strength::not_applicable) == 0;
    EXPECT_EQ(law.why_not.empty(), everywhere) << law.name;
    EXPECT_LT(std::ranges::count(law.cells, Strength::not_applicable), std::ssize(law.cells));
  }
}

TEST(LawTable, KnowsEveryModelOfTheCatalogue) {
  for (const Subject& subject : subjects()) EXPECT_NO_THROW(known_of(subject));
  EXPECT_EQ(known().size(), catalogue().size());
}

TEST(LawTable, IsPrinted) {
  const auto column = [](std::string_view text, std::size_t width) {
    std::string cell(text);
    cell.resize(std::max(width, cell.size() + 1), ' ');
    std::cout << cell;
  };
  column("law", 24);
  for (const std::string_view who : who_names) column(who, 13);
  for (const Law& law : table()) {
    std::cout << '\n';
    column(law.name, 24);
    for (const Strength s : law.cells) column(strength_names[static_cast<std::size_t>(s)], 13);
  }
  std::cout << std::endl;
}

}  // namespace

}  // namespace laws
