// Rounds of the main loop that the busiest SM goes through, counted in CTAs that run alone at full rate, and the norms
// that join times.
#pragma once

#include "rooftile/base/powers.hpp"
#include "rooftile/base/rounded.hpp"
#include "rooftile/plan/launch.hpp"

namespace rooftile {

// Two things at once take little longer than the longer of them.
inline double together(double a, double b) { return fourth_root(fourth(a) + fourth(b)); }

class Rounds {
 public:
  // `latency_warps` hide the latencies of an SM.
  Rounds(const Launch& launch, double sms, double latency_warps)
      : needed_(latency_warps / launch.warps), resident_(launch.resident) {
    const double per_wave = launch.resident * sms;
    full_ = rounded_down(launch.ctas / per_wave);
    rest_ = rounded_up((launch.ctas - full_ * per_wave) / sms);
  }

  // As if latencies were hidden; as if only they counted; together.
  double busy() const { return full_ * resident_ + rest_; }
  double idle() const { return (full_ + (rest_ > 0 ? 1 : 0)) * needed_; }
  double both() const {
    return (full_ > 0 ? full_ * together(resident_, needed_) : 0) + (rest_ > 0 ? together(rest_, needed_) : 0);
  }

 private:
  double needed_;  // CTAs that hide latency
  double resident_;
  double full_, rest_;  // full waves; CTAs of an SM in the last one
};

}  // namespace rooftile
