// A step of a program as a framework ran it: every call of an operator, forward, backward and update, in order. The ops
// of such a workload are the calls that are unlike each other, each with tensors of its own; nothing is added to them
// or fused.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/units.hpp"
#include "rooftile/workload/execution.hpp"
#include "rooftile/workload/pass.hpp"
#include "rooftile/workload/phase.hpp"

namespace rooftile {

enum class StepPart { forward, backward, update };
std::string_view name_of(StepPart part);

// Whether a run of the phase has the part.
bool has_part(Phase phase, StepPart part);

// What is known of an op beyond its kind. A gradient has the kind and the tensors of the operator that it is of.
struct CapturedCall {
  std::string source;     // the framework's own name: "aten.convolution_backward"
  Pass pass = Pass::fwd;  // of the kind
  bool general = false;   // of no kind: known by the tensors that it reads and writes

  bool operator==(const CapturedCall&) const = default;
};

struct CapturedLaunch {
  std::size_t op = 0;  // index into Workload::ops
  std::string name;    // of the module that called it: "layer1.0.conv1"
  StepPart part = StepPart::forward;

  bool operator==(const CapturedLaunch&) const = default;
};

// The most that is allocated at once, by what holds it.
struct CapturedMemory {
  Bytes weights, gradients, optimizer, activations;

  bool operator==(const CapturedMemory&) const = default;
};

struct CapturedStep {
  std::string framework = {};       // "PyTorch 1.13.1"
  RunPrecision precision = {};      // that most products are in
  bool nhwc = false;                // maps of convolutions have their channels contiguous
  std::vector<CapturedCall> calls;  // of each op
  std::vector<CapturedLaunch> launches;
  CapturedMemory memory = {};

  bool operator==(const CapturedStep&) const = default;
};

// Whether it has gradients.
bool trains(const CapturedStep& step);

}  // namespace rooftile
