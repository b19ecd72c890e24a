// Labels of waiting rows survive a cutter and a saved state.
#include <thalweg/core/archive.hpp>
#include <thalweg/core/cutter.hpp>
#include <thalweg/core/error.hpp>
#include <thalweg/core/fixed.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <vector>

namespace test_labels_saved {

using namespace thalweg;

const std::vector<double> values{1, 2, 3, 4, 5};
const std::vector<double> labels{0, NAN, 1, 2, 0};

Block labelled(std::size_t begin, std::size_t count) {
  Block block = dense_block(values.data(), 5, 1);
  block.side.label = labels.data();
  return block.slice(begin, count);
}

TEST(LabelsSaved, however_the_rows_are_cut) {
  for (std::size_t first = 1; first < 5; ++first) {
    Cutter cutter(2, Unit::row);
    std::vector<double> seen;
    const auto use = [&](const Block& piece) {
      seen.insert(seen.end(), piece.side.label, piece.side.label + piece.rows);
    };
    cutter.feed(labelled(0, first), use);
    cutter.feed(labelled(first, 5 - first), use);
    cutter.flush(use);
    ASSERT_EQ(seen.size(), 5U);
    for (std::size_t t = 0; t < 5; ++t)
      EXPECT_TRUE(seen[t] == labels[t] || (std::isnan(seen[t]) && std::isnan(labels[t])));
  }
}

TEST(LabelsSaved, come_back_from_a_state) {
  Table table(1);
  table.append(labelled(0, 5));
  Archive archive;
  archive.put("rows", table);
  std::stringstream file;
  archive.write(file);
  Table back(1);
  Archive::read(file).get("rows", back);
  ASSERT_EQ(back.labels().size(), 5U);
  EXPECT_TRUE(std::isnan(back.labels()[1]));
  EXPECT_EQ(back.labels()[3], 2.0);
  archive.put("rows/labels", std::vector<double>{1});
  EXPECT_THROW(archive.get("rows", back), Error);
}

TEST(Fixed, counts_what_is_held) {
  const Layout layout({{.name = "weights", .shape = {3}, .domain = Domain::simplex},
                       {.name = "means", .shape = {3, 2}}});
  const auto held = [&](const char* text) { return Fixed::parse(text).free_entries(layout, 3); };
  EXPECT_EQ(held("means"), 6U);
  EXPECT_EQ(held("means[1],means[1],means[2]"), 4U);
  EXPECT_EQ(held("weights"), 2U);
  EXPECT_EQ(held("weights[0]"), 1U);
  EXPECT_EQ(held("weights[0],weights[1],weights[2]"), 2U);
}

}  // namespace test_labels_saved
