#include "rooftile/ingest/gzip.hpp"

#include <cstdint>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace rooftile {
namespace {

using namespace std::string_literals;

// printf 'rooftile\n' | gzip -n9
const std::string kGzip =
    "\x1f\x8b\x08\0\0\0\0\0\x02\x03\x2b\xca\xcf\x4f\x2b\xc9\xcc\x49\xe5\x02\0\x9f\x27\x2a\x61\x09\0\0\0"s;

TEST(Gzip, IsKnownByItsFirstBytes) {
  EXPECT_TRUE(is_gzip(kGzip));
  EXPECT_FALSE(is_gzip(""));
  EXPECT_FALSE(is_gzip("\x1f"));
  EXPECT_FALSE(is_gzip("\x08\x07"));  // an ONNX file
}

TEST(Gzip, Inflates) {
  EXPECT_EQ(gunzip(kGzip, 100).value(), "rooftile\n");
  EXPECT_EQ(gunzip(kGzip + kGzip, 100).value(), "rooftile\nrooftile\n");  // members, as of concatenated files
}

TEST(Gzip, SaysWhatIsWrong) {
  EXPECT_EQ(gunzip(kGzip, 8).error().message, "holds more than 0 MiB uncompressed");
  for (std::size_t size = 0; size < kGzip.size(); ++size) {
    EXPECT_EQ(gunzip(kGzip.substr(0, size), 100).error().message, "is a damaged or incomplete gzip file") << size;
  }
  std::string damaged = kGzip;
  damaged[22] ^= 1;  // the checksum
  EXPECT_FALSE(gunzip(damaged, 100));
}

TEST(Gzip, DeflatesAlikeWhateverTheTime) {
  const std::string bytes = gzip("rooftile\n").value();
  EXPECT_EQ(bytes.substr(4, 4), "\0\0\0\0"s);  // no time of writing
  EXPECT_EQ(gunzip(bytes, 100).value(), "rooftile\n");
  EXPECT_EQ(gunzip(gzip("").value(), 100).value(), "");
  const std::string much(std::size_t{5} << 20, 'x');
  EXPECT_LT(gzip(much)->size(), much.size() / 500);
  EXPECT_EQ(gunzip(gzip(much).value(), much.size()).value(), much);
}

RC_GTEST_PROP(Gzip, GivesBackWhatItTook, (const std::string& bytes, std::uint8_t times)) {
  std::string all;
  for (int i = 0; i < times; ++i) all += bytes;
  RC_ASSERT(gunzip(gzip(all).value(), all.size()).value() == all);
}

}  // namespace
}  // namespace rooftile
