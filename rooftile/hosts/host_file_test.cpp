#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/hosts/host_machine.hpp"

namespace rooftile {
namespace {

using ::testing::HasSubstr;

constexpr const char* kHost = R"(id = "mine"
[sources]
own = "measured"
[host]
cores = { value = "8", source = "own" }
pcie_generation = { value = "4", source = "own" }
disk = { value = "2 GB/s", source = "own" }
decode = { value = "5 ms", source = "own" }
augment = { value = "20 ms", source = "own" }
tokenise = { value = "1 s", source = "own" }
environment_step = { value = "1 ms", source = "own" }
)";

std::string with(const std::string& from, const std::string& to) {
  std::string text = kHost;
  return text.replace(text.find(from), from.size(), to);
}

std::string error_of(const std::string& text) {
  const auto host = parse_host_machine(text, "h.toml");
  return host ? "" : host.error().text();
}

TEST(HostFile, EveryHostThatShipsCanBeReadAndNamesItsSources) {
  ASSERT_FALSE(host_machine_ids().empty());
  for (const std::string& id : host_machine_ids()) {
    const auto host = find_host_machine(id);
    ASSERT_TRUE(host) << host.error().text();
    EXPECT_EQ(host->id, id);
    for (const Fact& fact : host->facts) EXPECT_FALSE(fact.source.empty()) << id << " " << fact.key;
  }
}

TEST(HostFile, ReadsAUsersOwn) {
  const HostMachine host = parse_host_machine(kHost, "h.toml").value();
  EXPECT_EQ(host.cores, 8);
  EXPECT_EQ(host.disk, BytesPerSecond(2e9));
  EXPECT_EQ(host.decode, Seconds(5e-3));
  EXPECT_FALSE(host.price);
  EXPECT_FALSE(host.launch_ratio);
  EXPECT_FALSE(host.single_thread);
}

TEST(HostFile, LaunchesFollowAHostThatSaysSo) {
  const std::string text = std::string(kHost) + "launch_ratio = { value = \"0.5\", source = \"own\" }\n";
  EXPECT_EQ(parse_host_machine(text, "h.toml")->launch_ratio, 0.5);
  EXPECT_THAT(error_of(std::string(kHost) + "launch_ratio = { value = \"0\", source = \"own\" }\n"),
              HasSubstr("'0' is no launch_ratio; write \"0.8\""));
}

TEST(HostFile, HasARatingOfOneThread) {
  const std::string text = std::string(kHost) + "single_thread = { value = \"3164\", source = \"own\" }\n";
  EXPECT_EQ(parse_host_machine(text, "h.toml")->single_thread, 3164);
}

TEST(HostFile, ABadFileIsOneLineThatSaysWhere) {
  EXPECT_THAT(error_of("nonsense"), HasSubstr("h.toml:1:"));
  EXPECT_EQ(error_of(with("cores = { value = \"8\", source = \"own\" }\n", "")), "h.toml: cores is missing");
  EXPECT_EQ(error_of(with("\"8\"", "\"0\"")), "h.toml:5:19: '0' is no cores; write \"16\"");
  EXPECT_EQ(error_of(with("2 GB/s", "2 GB")), "h.toml:7:18: '2 GB' is no disk; write \"500 MB/s\"");
  EXPECT_THAT(error_of(with("tokenise", "tokenize")),
              HasSubstr("unknown key 'tokenize' in [host]; did you mean 'tokenise'?"));
  EXPECT_THAT(find_host_machine("epyc-7742").error().text(),
              HasSubstr("no host 'epyc-7742'; did you mean 'epyc-7742-x2'?"));
}

}  // namespace
}  // namespace rooftile
