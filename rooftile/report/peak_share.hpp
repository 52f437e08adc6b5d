// The rate of a prediction's arithmetic as a share of the GPU's peak, and why it can be more than all of it.
#pragma once

#include <string>

#include "rooftile/predict/prediction.hpp"

namespace rooftile {

// "56.8 % of the 12.15 TFLOP/s fp32 peak". The arithmetic is that of the textbook algorithms.
std::string share_of_peak(const Prediction& prediction);

// Where that is above 100 % as some convolutions run by Winograd or FFT: a line that says so. Else nothing.
std::string why_above_peak(const Prediction& prediction);

}  // namespace rooftile
