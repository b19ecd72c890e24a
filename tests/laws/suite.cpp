// Runs the table over the whole catalogue, and checks that the table is complete.
#include "known.hpp"
#include "law.hpp"

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

/// Statistical laws need many rows: they form the suite SlowLaws, which sanitizers leave out.
std::vector<Case> cases(bool statistical) {
  std::vector<std::shared_ptr<const Subject>> everybody;
  for (Subject& subject : subjects())
    everybody.push_back(std::make_shared<const Subject>(std::move(subject)));
  std::vector<Case> all;
  for (const Law& law : table()) {
    for (const auto& subject : everybody) {
      if (law.concerns && !law.concerns(*subject)) continue;
      for (std::size_t w = 0; w < who_names.size(); ++w) {
        const Strength strength = law.cells[w];
        if (strength == Strength::not_applicable) continue;
        if ((strength == Strength::statistical) == statistical)
          all.push_back({&law, subject, static_cast<Who>(w)});
      }
    }
  }
  return all;
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
class SlowLaws : public testing::TestWithParam<Case> {};

TEST_P(Laws, Hold) { hold(GetParam()); }
TEST_P(SlowLaws, Hold) { hold(GetParam()); }

INSTANTIATE_TEST_SUITE_P(Catalogue, Laws, testing::ValuesIn(cases(false)), case_name);
INSTANTIATE_TEST_SUITE_P(Catalogue, SlowLaws, testing::ValuesIn(cases(true)), case_name);

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
