// Every number behind one layer's time as data, and what is written of it: text, JSON or CSV. The text is also
// explain_report() of report.hpp.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooftile/gpu/gpu.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/report/explain_section.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {

struct Explanation {
  std::string model;  // that the layer is of; empty: not told
  std::string layer, op, function, label, gpu;
  std::vector<std::string> members;  // operators that the kernel runs, where it runs several
  DType precision = DType::fp32;
  Pass pass = Pass::fwd;
  Method method = Method::none;  // none: the layer only renames data
  Bottleneck bottleneck = Bottleneck::compute;
  Seconds time;
  std::optional<Interval> interval;
  double ratio_of_calls = 1;  // what measured calls like this one changed the time by
  std::vector<Section> sections;
  std::vector<Fact> facts;  // of the GPU, that the method uses
};

// `options` are those of the prediction.
Explanation explain_layer(const LayerEstimate& layer, const Gpu& gpu, const PredictOptions& options = {});

std::string explanation_text(const Explanation& explanation, std::size_t width = kAnyWidth);

// "rooftile/explanation/1": an object for one, an array for several. Schema: data/schema/explanation-1.json.
std::string explanation_json(std::span<const Explanation> explanations);

// One row a number.
std::string explanation_csv(std::span<const Explanation> explanations);

// Key of the GPU's peak rate at a precision, as gpu files have it ("peak.tensor_fp16").
std::string peak_key(const Gpu& gpu, DType precision);

}  // namespace rooftile
