#include "rooftile/base/units_text.hpp"

#include <cmath>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace rooftile {
namespace {

TEST(UnitText, ParsesPrefixes) {
  EXPECT_EQ(parse<Bytes>("50 MiB").value().value(), 50.0 * 1024 * 1024);
  EXPECT_EQ(parse<Bytes>("16 GB").value().value(), 16e9);
  EXPECT_EQ(parse<Bytes>("32 B").value().value(), 32);
  EXPECT_DOUBLE_EQ(parse<BytesPerSecond>("3.35 TB/s").value().value(), 3.35e12);
  EXPECT_DOUBLE_EQ(parse<Hertz>("1.58 GHz").value().value(), 1.58e9);
  EXPECT_DOUBLE_EQ(parse<Seconds>("4.2us").value().value(), 4.2e-6);
  EXPECT_EQ(parse<Cycles>("486 cycles").value().value(), 486);
  EXPECT_DOUBLE_EQ(parse<FlopsPerSecond>("12.1 TFLOP/s").value().value(), 12.1e12);
  EXPECT_DOUBLE_EQ(parse<FlopsPerSecond>("12.1 TFLOPS").value().value(), 12.1e12);
  EXPECT_DOUBLE_EQ(parse<DollarsPerSecond>("3.6 USD/h").value().value(), 1e-3);
  EXPECT_EQ(parse<BytesPerCycle>("64 B/clk").value().value(), 64);
}

TEST(UnitText, RejectsWithOneLine) {
  for (const char* text : {"", "50", "MiB", "50 MiB/s", "50 Mib", "50 KB", "nan B", "inf B", "1e999 B", "50 MiB x",
                           "0x10 B", "50 kcycles", "- 5 B"}) {
    const auto result = parse<Bytes>(text);
    ASSERT_FALSE(result) << text;
    EXPECT_EQ(result.error().message.find('\n'), std::string::npos);
    EXPECT_NE(result.error().message.find(text), std::string::npos) << result.error().message;
  }
  EXPECT_EQ(parse<Bytes>("50").error().message,
            "'50' has no unit; write a number and a unit: B, kB, MB, GB, KiB, MiB, …");
}

TEST(UnitText, PrintsFourDigits) {
  EXPECT_EQ(print(Bytes(50.0 * 1024 * 1024)), "50 MiB");
  EXPECT_EQ(print(Bytes(512)), "512 B");
  EXPECT_EQ(print(BytesPerSecond(1.0514e12)), "1.051 TB/s");
  EXPECT_EQ(print(Seconds(4.2e-6)), "4.2 us");
  EXPECT_EQ(print(Seconds(0)), "0 s");
  EXPECT_EQ(print(Seconds(12.5)), "12.5 s");
  EXPECT_EQ(print(Cycles(486)), "486 cycles");
  EXPECT_EQ(print(FlopsPerSecond(12.1344e12)), "12.13 TFLOP/s");
  EXPECT_EQ(print(DollarsPerSecond(1e-3)), "3.6 USD/h");
  EXPECT_EQ(print(Dollars(17262.4)), "17262 USD");  // which takes no prefix
}

TEST(UnitText, ReadsBackWhatItPrints) {
  EXPECT_TRUE(rc::check([] {
    const double value = std::ldexp(1.0 + *rc::gen::inRange(0, 1000) / 1000.0, *rc::gen::inRange(-20, 45));
    const double bytes = parse<Bytes>(print(Bytes(value))).value().value();
    RC_ASSERT(std::abs(bytes / value - 1) < 6e-4);
    const double seconds = parse<Seconds>(print(Seconds(value))).value().value();
    RC_ASSERT(std::abs(seconds / value - 1) < 6e-4);
  }));
}

}  // namespace
}  // namespace rooftile
