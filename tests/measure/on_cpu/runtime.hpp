// The CUDA runtime as far as rooftile-measure calls it: one GPU (machine.hpp), streams that are done at once.
#pragma once

#include <cstddef>
#include <functional>

#include "tests/measure/on_cpu/on_cpu.hpp"

namespace on_cpu {

// Does work of a stream now, or as part of the graph that is being captured.
void queue(std::function<void()> work);
// The same for what a library's kernel does, which lasts as long as a repeat and uses all of its workspace. False where
// the GPU is lost or the workspace is none.
constexpr std::size_t kLibraryWorkspace = 4096;
bool queue_library(void* workspace, std::size_t workspace_bytes, std::function<void()> work);
void pass_cycles(double cycles);

// False where the kernel holds an instruction that on_cpu does not know.
bool run_kernel(const std::function<void()>& body, const Config& config);

}  // namespace on_cpu
