// A prompt in parts on GPUs that have some of the layers each, all issued by one thread of the host, as llama.cpp does.
//
//     const Seconds time = prompt_time({.shares = layer_shares(80, 4), .launches = 4000}, parts);
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rooftile/base/units.hpp"

namespace rooftile {

struct PromptPipeline {
  std::vector<double> shares;  // of a part that each GPU has, of its time and of its launches; they add up to 1
  double launches = 0;         // of a part on all GPUs together
};

// Of llama.cpp: GPU g gets the layers i of `layers` for which i / (layers + 1) is less than (g + 1) / gpus, the last
// GPU the head besides (llama.cpp, llm_load_tensors, of GPUs with as much free memory each). Both are 1 or more.
std::vector<double> layer_shares(std::int64_t layers, std::int64_t gpus);

// Until the last part has left the last GPU; `parts` are the times of each on all GPUs, one after another. Each GPU
// works on a part once the one before has finished with it, so that parts follow one another (llama.cpp, pull request
// 6017). They are held up twice. Before the host issues a GPU's kernels of a part it waits until that GPU has finished
// the part four before (GGML_SCHED_MAX_COPIES). And a GPU has room for so many launches that have not begun; with that
// many the host waits, and issues nothing to the other GPUs either.
Seconds prompt_time(const PromptPipeline& pipeline, std::span<const Seconds> parts);

}  // namespace rooftile
