// One kernel launch of the refined method, number by number. Private.
#pragma once

#include <string>

#include "rooftile/report/explain_section.hpp"
#include "rooftile/timing/launch_time.hpp"

namespace rooftile {

// Steps between a launch's counts and its time under conv_simt, each asked of launch_time() itself.
struct LaunchParts {
  Seconds cta;           // one CTA alone on an SM that hides its latencies
  Seconds sms;           // the busiest SM, if memory and power had no limit
  Seconds before_power;  // with L2 and DRAM, if power had none
  double joules = 0;     // of the launch; 0 where the board's power is not known
  LaunchTime whole;
};
LaunchParts launch_parts(const Launch& launch, const GpuRates& rates);

// The same under gemm_simt and tensor.
struct GemmParts {
  Seconds sms;           // if DRAM, power, a split (and for gemm_simt the L2) cost nothing
  Seconds before_power;  // the whole, if power had no limit
  LaunchTime whole;
};
GemmParts gemm_parts(const Launch& launch, const GpuRates& rates);

Section simt_gemm_launch_section(const std::string& title, const Launch& launch, const GpuRates& rates);
Section tensor_launch_section(const std::string& title, const Launch& launch, const GpuRates& rates);
Section miopen_launch_section(const std::string& title, const Launch& launch, const GpuRates& rates);
Section conv_launch_section(const std::string& title, const Launch& launch, const GpuRates& rates);

// Every number of a launch, with the formulas of its family's form in words.
Section launch_section(const std::string& title, const Launch& launch, const GpuRates& rates);

// The constants that a plan's time depends on, with what 1 % more of each does to it.
Section constants_section(const std::string& title, const LaunchPlan& plan, const GpuRates& rates);

}  // namespace rooftile
