// Predicts one convolution with the installed library and prints what limits it.
#include <cstdio>
#include <rooftile/gpu/catalogue.hpp>
#include <rooftile/ingest/model.hpp>
#include <rooftile/predict/predict.hpp>
#include <rooftile/report/report.hpp>

int main() {
  const auto gpu = rooftile::find_gpu("titan-xp-delta");
  if (!gpu) {
    std::fprintf(stderr, "%s\n", gpu.error().text().c_str());
    return 1;
  }
  rooftile::Conv conv;
  conv.batch = 256;
  conv.in_channels = 64;
  conv.out_channels = 128;
  conv.axes[1] = conv.axes[2] = {.in = 56, .filter = 3, .pad_begin = 1, .pad_end = 1};

  const rooftile::LayerEstimate layer = rooftile::estimate(conv, *gpu);
  if (!(layer.time > rooftile::Seconds(0))) return 1;
  std::printf("%s: %s\n", gpu->id.c_str(), std::string(rooftile::name_of(layer.bottleneck)).c_str());
  return 0;
}
