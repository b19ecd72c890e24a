// Damage to a saved state is refused: every byte, every length, and sizes that lie under a valid checksum.
#include <thalweg/core/archive.hpp>
#include <thalweg/core/error.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <sstream>

namespace test_archive_damage {

using thalweg::Archive;
using thalweg::Error;

std::string small_archive() {
  Archive archive;
  archive.put("theta", std::vector<double>{0.25, 0.75});
  archive.put("n", std::uint64_t{12});
  std::ostringstream out;
  archive.write(out);
  return out.str();
}

void read(const std::string& bytes) {
  std::istringstream in(bytes);
  Archive::read(in);
}

TEST(ArchiveDamage, the_undamaged_one_is_read) { EXPECT_NO_THROW(read(small_archive())); }

TEST(ArchiveDamage, every_changed_bit_is_refused) {
  const std::string good = small_archive();
  for (std::size_t i = 0; i < good.size(); ++i)
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string bad = good;
      bad[i] = static_cast<char>(static_cast<unsigned char>(bad[i]) ^ (1U << bit));
      EXPECT_THROW(read(bad), Error) << "byte " << i << ", bit " << bit;
    }
}

TEST(ArchiveDamage, every_other_length_is_refused) {
  const std::string good = small_archive();
  for (std::size_t length = 0; length < good.size(); ++length)
    EXPECT_THROW(read(good.substr(0, length)), Error) << length;
  for (std::size_t extra = 1; extra < 20; ++extra)
    EXPECT_THROW(read(good + std::string(extra, '\0')), Error) << extra;
  EXPECT_THROW(read(good + good), Error);
}

std::string word(std::uint64_t value) {
  std::string bytes(sizeof value, '\0');
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

/// A body with its FNV-1a checksum: damage that no checksum finds.
std::string sealed(const std::string& body) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char byte : body) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
  return small_archive().substr(0, 16) + body + word(hash);
}

// Sizes that lie must neither allocate what they claim nor wrap around.
TEST(ArchiveDamage, sizes_that_lie_are_refused) {
  ASSERT_NO_THROW(read(sealed(word(0) + word(0)))) << "the seal of this test is right";
  for (const std::uint64_t huge :
       {std::uint64_t{1}, std::uint64_t{1} << 40U, (std::uint64_t{1} << 61U) + 1, ~std::uint64_t{0},
        ~std::uint64_t{0} - 7}) {
    EXPECT_THROW(read(sealed(word(huge))), Error) << "entries " << huge;
    EXPECT_THROW(read(sealed(word(1) + word(huge))), Error) << "name " << huge;
    EXPECT_THROW(read(sealed(word(1) + word(1) + "x" + word(huge))), Error) << "values " << huge;
    EXPECT_THROW(read(sealed(word(0) + word(huge))), Error) << "counts " << huge;
  }
  EXPECT_THROW(read(sealed("")), Error);
  EXPECT_THROW(read(sealed(word(0) + word(0) + "x")), Error) << "bytes that belong to nothing";
}

TEST(ArchiveDamage, other_files_are_refused) {
  for (const std::string& other :
       {std::string(), std::string("count,freq\n0,162\n"),
        std::string("thalweg-state 2\n") + small_archive().substr(16), std::string(1000, '\0')})
    EXPECT_THROW(read(other), Error);
}

}  // namespace test_archive_damage
