#include "rooftile/measure/layer_algorithm.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace rooftile::measure {
namespace {

constexpr std::string_view kImplicitGemm = "implicit_gemm";
constexpr std::string_view kFft = "fft";
constexpr std::string_view kWinograd = "winograd";
constexpr std::string_view kWinogradNonfused = "winograd_nonfused";

// cudnnConvolutionFwdAlgo_t: IMPLICIT_GEMM, IMPLICIT_PRECOMP_GEMM, GEMM, DIRECT, FFT, FFT_TILING, WINOGRAD,
// WINOGRAD_NONFUSED.
constexpr std::array kForward = {
    kImplicitGemm, kImplicitGemm,    std::string_view("explicit_gemm"), std::string_view("direct"), kFft, kFft,
    kWinograd,     kWinogradNonfused};
// cudnnConvolutionBwdDataAlgo_t: 0 (atomics), 1, FFT, FFT_TILING, WINOGRAD, WINOGRAD_NONFUSED.
constexpr std::array kData = {kImplicitGemm, kImplicitGemm, kFft, kFft, kWinograd, kWinogradNonfused};
// cudnnConvolutionBwdFilterAlgo_t: 0 (atomics), 1, FFT, 3 (atomics), WINOGRAD, WINOGRAD_NONFUSED, FFT_TILING.
constexpr std::array kWeight = {kImplicitGemm, kImplicitGemm, kFft, kImplicitGemm, kWinograd, kWinogradNonfused, kFft};

std::span<const std::string_view> names_of(Pass pass) {
  switch (pass) {
    case Pass::fwd:
      return kForward;
    case Pass::bwd_data:
      return kData;
    case Pass::bwd_weight:
      return kWeight;
  }
  return {};
}

}  // namespace

std::string_view algorithm_name(Pass pass, int number) {
  const auto names = names_of(pass);
  return number >= 0 && static_cast<std::size_t>(number) < names.size() ? names[static_cast<std::size_t>(number)]
                                                                        : std::string_view();
}

bool has_algorithm(Pass pass, std::string_view name) {
  const auto names = names_of(pass);
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string algorithm_names(Pass pass) {
  const auto names = names_of(pass);
  std::string list;
  for (auto name = names.begin(); name != names.end(); ++name) {
    if (std::find(names.begin(), name, *name) == name) {
      list += (list.empty() ? "" : ", ") + std::string(*name);
    }
  }
  return list;
}

}  // namespace rooftile::measure
