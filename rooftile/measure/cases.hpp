// Which layers are measured: those of networks and of layer tables, and a set of our own.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/measure/layer_case.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile::measure {

// The layers of a network that can be measured, forward in fp32, each shape once: 2-D convolutions (without their
// bias), GEMMs, causal attention, recurrent layers; of the streaming ops those that StreamKind has.
std::vector<LayerCase> layers_of(const Workload& network);

// What to vary. Layouts and algorithms are of convolutions.
struct CaseChoice {
  std::vector<DType> precisions = {DType::fp32};
  std::vector<Pass> passes = {Pass::fwd};
  std::vector<Layout> layouts = {Layout::nchw};
  std::vector<std::string> algorithms = {""};
};

// Every layer in every way that makes sense: no gradient of attention and streaming ops, fp8 and int8 of GEMMs alone.
std::vector<LayerCase> cases_of(const std::vector<LayerCase>& layers, const CaseChoice& choice);

// The rows of a layer table, each pass of a row that names several.
struct TableCases {
  std::vector<LayerCase> cases;
  std::size_t left_out = 0;  // rows of whole networks, and of ops or passes that are not supported
};
// Errors name file, line and column.
Result<TableCases> cases_of_table(std::string_view csv, std::string_view where);

// What is measured when nothing is asked for (docs/measuring.md); about five minutes on a fast GPU.
std::vector<LayerCase> default_cases();

// A few of each kind of op, in their order.
std::vector<LayerCase> quick(const std::vector<LayerCase>& cases);

// The first of each.
std::vector<LayerCase> unique_cases(const std::vector<LayerCase>& cases);

}  // namespace rooftile::measure
