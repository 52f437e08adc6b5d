#include "rooftile/measure/cuda/check.hpp"

#include <string>

namespace rooftile::measure {
namespace {

Refusal refusal_of(cudaError_t code) {
  switch (code) {
    case cudaErrorMemoryAllocation:
      return Refusal::out_of_memory;
    // A launch that the GPU cannot take leaves the context as it was.
    case cudaErrorInvalidValue:
    case cudaErrorInvalidConfiguration:
    case cudaErrorLaunchOutOfResources:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorNotSupported:
    case cudaErrorStreamCaptureUnsupported:
    case cudaErrorStreamCaptureInvalidated:
      return Refusal::unsupported;
    default:
      return Refusal::device_lost;
  }
}

}  // namespace

Outcome<void> check(cudaError_t code, std::string_view doing) {
  if (code == cudaSuccess) {
    return {};
  }
  static_cast<void>(cudaGetLastError());
  return tl::unexpected(Refused{
      refusal_of(code), std::string(doing) + ": " + cudaGetErrorString(code) + " (" + cudaGetErrorName(code) + ")"});
}

Outcome<void> check_launch(std::string_view kernel) { return check(cudaGetLastError(), kernel); }

}  // namespace rooftile::measure
