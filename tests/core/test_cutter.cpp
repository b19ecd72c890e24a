// Whatever way a stream comes in, the pieces are the same.
#include <thalweg/core/cutter.hpp>

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace test_cutter {

using thalweg::Block;
using thalweg::Cutter;

struct Pieces {
  std::vector<std::vector<double>> values;
  std::vector<std::vector<double>> weights;

  void take(const Block& piece) {
    values.emplace_back();
    weights.emplace_back();
    for (std::size_t t = 0; t < piece.rows; ++t) {
      for (std::size_t j = 0; j < piece.columns; ++j) values.back().push_back(piece.row(t)[j]);
      weights.back().push_back(piece.weight(t));
    }
  }
  bool operator==(const Pieces&) const = default;
};

class Stream {
 public:
  explicit Stream(std::size_t rows) {
    for (std::size_t t = 0; t < rows; ++t) {
      values_.insert(values_.end(), {static_cast<double>(t), -static_cast<double>(t)});
      weights_.push_back(0.5 + static_cast<double>(t % 3));
    }
  }
  Block block() const {
    Block block = thalweg::dense_block(values_.data(), weights_.size(), 2);
    block.side.weight = weights_.data();
    return block;
  }

 private:
  std::vector<double> values_, weights_;
};

/// Feeds the rows in blocks whose sizes `next` gives.
template <class Next>
Pieces cut(const Stream& stream, std::size_t size, Next next) {
  Cutter cutter(size, thalweg::Unit::row);
  Pieces pieces;
  const auto use = [&pieces](const Block& piece) { pieces.take(piece); };
  const Block all = stream.block();
  for (std::size_t done = 0; done < all.rows;) {
    const std::size_t count = std::min<std::size_t>(next(), all.rows - done);
    cutter.feed(all.slice(done, count), use);
    done += count;
  }
  EXPECT_EQ(cutter.waiting().rows(), all.rows % size);
  cutter.flush(use);
  EXPECT_TRUE(cutter.waiting().empty());
  return pieces;
}

TEST(Cutter, any_cut_gives_the_same_pieces) {
  const Stream stream(100);
  std::mt19937_64 random(1);
  for (const std::size_t size : {1U, 2U, 3U, 7U, 10U, 99U, 100U, 101U}) {
    const Pieces whole = cut(stream, size, [] { return std::size_t{1000}; });
    ASSERT_EQ(whole.values.size(), (100 + size - 1) / size);
    for (std::size_t i = 0; i < whole.values.size(); ++i) {
      EXPECT_EQ(whole.weights[i].size(), std::min(size, 100 - i * size));
      EXPECT_EQ(whole.values[i][0], static_cast<double>(i * size));
    }
    for (const std::size_t block : {1U, 2U, 5U, 7U, 33U, 100U})
      EXPECT_EQ(whole, cut(stream, size, [block] { return block; })) << size << ", " << block;
    for (int i = 0; i < 20; ++i)  // blocks of any size, empty ones among them
      EXPECT_EQ(whole, cut(stream, size, [&random] { return random() % 23; })) << size;
  }
}

TEST(Cutter, a_piece_inside_a_block_is_not_copied) {
  const Stream stream(10);
  const Block all = stream.block();
  std::vector<const double*> seen;
  Cutter cutter(4, thalweg::Unit::row);
  cutter.feed(all, [&seen](const Block& piece) { seen.push_back(piece.values); });
  EXPECT_EQ(seen, (std::vector<const double*>{all.row(0), all.row(4)}));
}

TEST(Cutter, flushing_an_empty_one_does_nothing) {
  Cutter cutter(3, thalweg::Unit::row);
  cutter.flush([](const Block&) { FAIL() << "there is nothing"; });
  cutter.feed(Block{}, [](const Block&) { FAIL() << "still nothing"; });
  EXPECT_EQ(cutter.size(), 3U);
}

}  // namespace test_cutter
