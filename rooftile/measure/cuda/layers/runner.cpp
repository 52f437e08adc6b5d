#include "rooftile/measure/cuda/layers/runner.hpp"

#include <array>
#include <string>
#include <type_traits>

#include "rooftile/measure/cuda/layers/families.hpp"
#include "rooftile/measure/cuda/layers/kernel_trace.hpp"
#include "rooftile/measure/cuda/layers/marker.hpp"
#include "rooftile/measure/cuda/layers/timing.hpp"
#include "rooftile/workload/conv_geometry.hpp"

namespace rooftile::measure {
namespace {

Outcome<int> attribute(cudaDeviceAttr which, int device) {
  int value = 0;
  return check(cudaDeviceGetAttribute(&value, which, device), "asking the GPU what it is").map([&] { return value; });
}

struct Context {
  Stream stream;
  LayerContext layers;
};

template <class Library>
bool is_lost(const Outcome<Library>& library) {
  return !library && library.error().why == Refusal::device_lost;
}

Outcome<Context> make_context(std::size_t workspace_limit) {
  int device = 0;
  if (auto done = check(cudaGetDevice(&device), "asking for the GPU in use"); !done) {
    return tl::unexpected(done.error());
  }
  const auto major = attribute(cudaDevAttrComputeCapabilityMajor, device);
  const auto minor = attribute(cudaDevAttrComputeCapabilityMinor, device);
  const auto l2 = attribute(cudaDevAttrL2CacheSize, device);
  auto stream = make_stream();
  if (!major || !minor || !l2 || !stream) {
    return tl::unexpected(!major ? major.error() : !minor ? minor.error() : !l2 ? l2.error() : stream.error());
  }
  auto cudnn = open_cudnn(stream->get());
  auto cublaslt = open_cublaslt();
  if (is_lost(cudnn) || is_lost(cublaslt)) {
    return tl::unexpected(is_lost(cudnn) ? cudnn.error() : cublaslt.error());
  }
  Context context;
  context.stream = std::move(*stream);
  context.layers = {.stream = context.stream.get(),
                    .workspace_limit = workspace_limit,
                    .compute_capability = 10 * *major + *minor,
                    .l2_bytes = static_cast<std::size_t>(*l2),
                    .cudnn = std::move(cudnn),
                    .cublaslt = std::move(cublaslt)};
  return context;
}

struct Prepare {
  const LayerCase& layer;
  const LayerContext& context;

  Outcome<Prepared> operator()(const Conv& conv) const {
    if (const auto valid = check(conv); !valid) {
      return unsupported(valid.error().message);
    }
    return prepare_conv(conv, layer, context);
  }
  Outcome<Prepared> operator()(const Gemm& gemm) const { return prepare_gemm(gemm, layer, context); }
  Outcome<Prepared> operator()(const Attention& attention) const {
    return prepare_attention(attention, layer, context);
  }
  Outcome<Prepared> operator()(const Recurrent& recurrent) const {
    return prepare_recurrent(recurrent, layer, context);
  }
  Outcome<Prepared> operator()(const StreamLayer& stream) const { return prepare_stream(stream, layer, context); }
};

class GpuRunner : public LayerRunner {
 public:
  GpuRunner(Context context, RunnerOptions options) : context_(std::move(context)), options_(std::move(options)) {}

  Outcome<LayerTiming> time(const LayerCase& layer) override {
    auto loaded = load(layer);
    if (!loaded) {
      return tl::unexpected(loaded.error());
    }
    const auto error = loaded->verify();
    if (!error) {
      return tl::unexpected(error.error());
    }
    auto times = time_runs(*loaded, options_, context_.layers.stream);
    if (!times) {
      return tl::unexpected(times.error());
    }
    auto kernels = list_kernels(*loaded);
    if (!kernels) {
      return tl::unexpected(kernels.error());
    }
    LayerTiming timing;
    timing.time_us = times->time_us;
    timing.kernels = std::move(*kernels);
    timing.algorithm = loaded->layer().algorithm;
    timing.launched = times->launched;
    timing.input_sets = times->sets;
    timing.error = *error;
    timing.workspace_bytes = static_cast<double>(loaded->layer().workspace_bytes);
    return timing;
  }

  Outcome<void> replay(const LayerCase& layer, int runs) override {
    auto loaded = load(layer);
    if (!loaded) {
      return tl::unexpected(loaded.error());
    }
    if (auto marked = launch_setup_done(); !marked) {
      return marked;
    }
    for (int i = 0; i < runs; ++i) {
      if (auto done = loaded->run(i); !done) {
        return done;
      }
    }
    return loaded->wait();
  }

 private:
  Outcome<LoadedLayer> load(const LayerCase& layer) {
    auto prepared = std::visit(Prepare{layer, context_.layers}, layer.op);
    if (!prepared) {
      return tl::unexpected(prepared.error());
    }
    // A library that looked for a kernel may leave an error behind, which would be taken for that of a launch.
    static_cast<void>(cudaGetLastError());
    return LoadedLayer::load(std::move(*prepared), options_, context_.layers);
  }

  Outcome<std::vector<KernelRun>> list_kernels(LoadedLayer& layer) {
    if (!options_.kernels) {
      return std::vector<KernelRun>();
    }
    std::string why_not;
    auto kernels = trace_kernels([&] { return layer.run(0).and_then([&] { return layer.wait(); }); }, why_not);
    if (!why_not.empty()) {
      options_.kernels = false;
      if (options_.note) {
        options_.note(why_not);
      }
    }
    return kernels;
  }

  Context context_;
  RunnerOptions options_;
};

constexpr std::array kRateTypes = {DType::fp32, DType::tf32, DType::fp16, DType::bf16, DType::fp8, DType::int8};

}  // namespace

Outcome<void> check_precision(DType precision, const LayerContext& context) {
  const int least = precision == DType::fp8 ? 89 : precision == DType::tf32 || precision == DType::bf16 ? 80 : 0;
  if (context.compute_capability < least) {
    return unsupported("this GPU has no tensor cores for " + std::string(name_of(precision)));
  }
  return {};
}

Result<std::unique_ptr<LayerRunner>> make_layer_runner(const Device& device, const RunnerOptions& options) {
  auto context = make_context(options.workspace_limit);
  if (!context) {
    return fail(ErrorCode::unsupported, context.error().message, device.name);
  }
  const auto note = [&](const auto& library, const char* what) {
    if (!library && options.note) {
      options.note(std::string(what) + library.error().message);
    }
  };
  note(context->layers.cudnn, "no convolutions, recurrent layers and fused attention, for want of cuDNN: ");
  note(context->layers.cublaslt, "no GEMMs and unfused attention, for want of cuBLASLt: ");
  return std::make_unique<GpuRunner>(std::move(*context), options);
}

Outcome<std::vector<Point>> library_rates(const Device& /*device*/) {
  constexpr std::int64_t kSize = 8192;
  const RunnerOptions options{.least_seconds = 20e-3, .kernels = false};
  auto context = make_context(options.workspace_limit);
  if (!context) {
    return tl::unexpected(context.error());
  }
  if (!context->layers.cublaslt) {
    return tl::unexpected(context->layers.cublaslt.error());
  }
  GpuRunner runner(std::move(*context), options);
  std::vector<Point> points;
  for (const DType type : kRateTypes) {
    LayerCase layer;
    layer.op = Gemm{.m = kSize, .n = kSize, .k = kSize, .trans_b = true};
    layer.precision = type;
    const auto timing = runner.time(layer);
    if (!timing && timing.error().why == Refusal::device_lost) {
      return tl::unexpected(timing.error());
    }
    if (!timing) {
      continue;
    }
    const double flops = 2.0 * kSize * kSize * kSize;
    const Summary& us = timing->time_us;
    points.push_back({.benchmark = "rate",
                      .variant = "library_" + std::string(name_of(type)),
                      .value = {flops / us.median * 1e6, flops / us.high * 1e6, flops / us.low * 1e6, us.count},
                      .unit = "FLOP/s"});
  }
  return points;
}

}  // namespace rooftile::measure
