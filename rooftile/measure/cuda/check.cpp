#include "rooftile/measure/cuda/check.hpp"

#include <string>

namespace rooftile::measure {
namespace {

Refusal refusal_of(cudaError_t code) {
  switch (code) {
    case cudaErrorMemoryAllocation:
      return Refusal::out_of_memory;
    // A call or a launch that is refused leaves the context as it was ("cudaError_t" in NVIDIA's documentation says of
    // which codes it does not).
    case cudaErrorInvalidValue:
    case cudaErrorInvalidConfiguration:
    case cudaErrorInvalidSymbol:
    case cudaErrorInvalidDevicePointer:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorInvalidResourceHandle:
    case cudaErrorInvalidPtx:
    case cudaErrorInvalidSource:
    case cudaErrorUnsupportedPtxVersion:
    case cudaErrorJitCompilerNotFound:
    case cudaErrorJitCompilationDisabled:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorSymbolNotFound:
    case cudaErrorSharedObjectSymbolNotFound:
    case cudaErrorSharedObjectInitFailed:
    case cudaErrorIllegalState:
    case cudaErrorNotReady:
    case cudaErrorLaunchOutOfResources:
    case cudaErrorCooperativeLaunchTooLarge:
    case cudaErrorNotPermitted:
    case cudaErrorNotSupported:
    // What cannot be captured into a graph may still run without one.
    case cudaErrorStreamCaptureUnsupported:
    case cudaErrorStreamCaptureInvalidated:
    case cudaErrorStreamCaptureMerge:
    case cudaErrorStreamCaptureUnmatched:
    case cudaErrorStreamCaptureUnjoined:
    case cudaErrorStreamCaptureIsolation:
    case cudaErrorStreamCaptureImplicit:
    case cudaErrorCapturedEvent:
    case cudaErrorStreamCaptureWrongThread:
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
