// What the DeLTA paper prints of its own results (Lym et al., ISPASS 2019, arXiv:1904.01691, section VII), to stand
// beside ours. It compares with counters and clocks of three boards at batch 256. Values of single layers stand in its
// charts alone; nothing is read off those.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rooftile {

// Geometric mean absolute error and standard deviation of the ratio, as fractions; nothing where the text lost it.
struct PublishedError {
  std::optional<double> gmae, deviation;
};

// Of DeLTA's traffic against counters, by a GPU of the paper ("titan-xp-delta") and a level ("l1", "l2", "dram");
// nothing for others.
PublishedError published_traffic(std::string_view gpu, std::string_view level);

// Of DeLTA's time against measured time.
PublishedError published_time(std::string_view gpu);

// "GMAE 4.2 %, std 7.2 %", "std 7.9 %"; empty where nothing is known.
std::string text_of(const PublishedError& error);

// The share of the evaluated layers that DeLTA finds limited by arithmetic.
constexpr double kPublishedComputeShare = 0.9;

}  // namespace rooftile
