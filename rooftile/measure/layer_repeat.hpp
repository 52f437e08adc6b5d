// How often a layer runs until its time counts: sets of operands to rotate through, runs in one repeat.
#pragma once

namespace rooftile::measure {

// Sets of operands whose total is at least three times the L2, so that none is still there when its turn comes again;
// 1 where one set is that large, and no more than `budget_bytes` holds (at least 1) or kMaxSets.
inline constexpr int kMaxSets = 2048;
int rotation_sets(double set_bytes, double l2_bytes, double budget_bytes);

// Runs that together take at least `least_seconds`: as many on each set, unless that would take longer than
// kMostSeconds, when what a run finds in the L2 no longer counts; about kMaxRuns at most.
inline constexpr int kMaxRuns = 4096;
inline constexpr double kMostSeconds = 0.1;
int runs_per_repeat(double run_seconds, double least_seconds, int sets);

}  // namespace rooftile::measure
