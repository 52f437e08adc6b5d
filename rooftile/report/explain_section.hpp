// Titled rows of "Eq 5  DIST_V  545.5  blk_m x ratio", and the parts of explain_report(). Private.
#pragma once

#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/units_text.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {

// Counts of bytes are means of what a cache holds and not: shown whole.
inline Bytes whole_bytes(Bytes bytes) { return Bytes(std::round(bytes.value())); }

class Section {
 public:
  explicit Section(std::string title) : title_(std::move(title)) {}

  void add(std::string_view equation, std::string_view symbol, std::string value, std::string formula) {
    table_.add({std::string(equation), std::string(symbol), std::move(value), std::move(formula)});
  }
  void add(std::string_view equation, std::string_view symbol, double number, std::string formula) {
    add(equation, symbol, grouped(number), std::move(formula));
  }
  void add(std::string_view equation, std::string_view symbol, Bytes bytes, std::string formula) {
    add(equation, symbol, fmt::format("{} B", grouped(bytes.value())), std::move(formula));
  }
  void add(std::string_view equation, std::string_view symbol, Seconds time, std::string formula) {
    add(equation, symbol, print(time), std::move(formula));
  }
  // The time that one thing alone would take; a star marks the one that limits the layer.
  void add_case(std::string_view equation, Bottleneck which, Bottleneck limit, Seconds time, std::string formula) {
    add(equation, fmt::format("{}{}", name_of(which), which == limit ? " *" : ""), time, std::move(formula));
  }
  std::string text() const { return title_ + "\n" + table_.text() + "\n"; }

 private:
  std::string title_;
  TextTable table_{{{""}, {""}, {"", Align::right}, {""}}};
};

// A layer by DeLTA, or by DeLTA with fixed miss rates.
std::string explain_delta(const LayerEstimate& layer, const Gpu& gpu);

// A layer by the refined method, predicted with `options`.
std::string explain_refined(const LayerEstimate& layer, const Gpu& gpu, const PredictOptions& options);

// A recurrent layer by the refined method.
std::string explain_recurrent(const LayerEstimate& layer, const Gpu& gpu, const PredictOptions& options);

// Attention by the refined method.
std::string explain_attention(const LayerEstimate& layer, const Gpu& gpu, PredictOptions options);

// A streaming layer of a network by the refined method.
std::string explain_stream(const LayerEstimate& layer, const Gpu& gpu, PredictOptions options);

// Key of the GPU's peak rate at a precision, as gpu files have it ("peak.tensor_fp16").
std::string peak_key(const Gpu& gpu, DType precision);

}  // namespace rooftile
