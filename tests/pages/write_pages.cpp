// Writes the pages that pages_test.py looks at into a folder: write_pages FOLDER.
//   small.html    predicted layers and measured kernels, names that try to break out, matches, stalls, what was dropped
//   small.json    the time points of small.html's kernels as the library computes them, to compare with
//   empty.html    a view without kernels
//   many.html     100,000 measured kernels
#include <array>
#include <cstddef>
#include <fstream>
#include <iostream>
#include <string>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/report/page/page.hpp"
#include "rooftile/roofline/stalls.hpp"

namespace {

using rooftile::Bytes;
using rooftile::Flops;
using rooftile::Peak;
using rooftile::Seconds;
using rooftile::roofline::Kernel;
using rooftile::roofline::Origin;
using rooftile::roofline::View;

View empty_view(const std::string& title) {
  View view;
  view.title = title;
  view.gpu = "v100-sxm2-16gb";
  view.roof = rooftile::roofline::roof_of(rooftile::find_gpu(view.gpu).value());
  view.level = 2;
  return view;
}

Kernel kernel(std::string name, std::string op, double flops, std::array<double, 3> bytes, double time) {
  Kernel made;
  made.name = std::move(name);
  made.op = std::move(op);
  made.origin = Origin::measured;
  made.flops[static_cast<std::size_t>(Peak::fp32)] = Flops(flops);
  for (const double count : bytes) made.bytes.emplace_back(Bytes(count));
  made.time = Seconds(time);
  return made;
}

Kernel predicted(std::string name, std::string op, double flops, std::array<double, 3> bytes, double time) {
  Kernel made = kernel(std::move(name), std::move(op), flops, bytes, time);
  made.origin = Origin::predicted;
  made.layer = made.name;
  made.pass = rooftile::Pass::fwd;
  made.time_low = Seconds(0.8 * time);
  made.time_high = Seconds(1.3 * time);
  made.cases = rooftile::TimeBounds{};
  (*made.cases)[rooftile::Bottleneck::compute] = Seconds(0.9 * time);
  (*made.cases)[rooftile::Bottleneck::dram] = Seconds(0.3 * time);
  made.bottleneck = rooftile::Bottleneck::compute;
  made.stalls = rooftile::roofline::estimated_stalls(*made.cases);
  made.stalls_estimated = true;
  return made;
}

View small_view() {
  View view = empty_view("</title><script>window.broken = 1</script> {{data}} \"net\" & 'co' on V100");
  view.model = "net";
  view.profiles = {"<img src=x onerror='window.broken = 2'>.csv"};
  view.kernels = {
      predicted("conv, \"first\"", "conv", 3.4e9, {4e8, 1e8, 3e7}, 4e-4),
      predicted("</script><script>window.broken = 3</script>", "conv", 1.2e9, {2e8, 8e7, 2e7}, 2e-4),
      predicted("relu\nof two lines \xff", "relu", 1e6, {8e6, 8e6, 8e6}, 1e-5),
      kernel("void gemm<float, 128, \"x\">(int, float const*)", "aten::conv2d", 3.4e9, {4.4e8, 1.3e8, 4e7}, 7e-4),
      kernel("<b>bold</b>", "aten::conv2d", 1.2e9, {2e8, 8e7, 2e7}, 2.5e-4),
      kernel("copy \xe2\x80\xae backwards \xf0\x9f\x98\x80", "aten::copy_", 0, {8e6, 8e6, 8e6}, 1.4e-5),
      kernel("nothing moved", "aten::fill_", 0, {0, 0, 0}, 3e-6),
      kernel("no counters", "aten::mm", 0, {0, 0, 0}, 9e-5),
  };
  Kernel& unknown = view.kernels.back();
  unknown.flops_known = false;
  unknown.bytes.assign(3, std::nullopt);
  view.kernels[3].stalls = {{"memory_dependency", 0.7}, {"sync", 0.3}};
  view.matches = {{.predicted = 0,
                   .measured = {3},
                   .by = "shape",
                   .measured_time = Seconds(7e-4),
                   .time_ratio = 1.75,
                   .bytes_ratio = {1.1, std::nullopt, 1.33},
                   .achievable = Seconds(2.2e-4),
                   .loss = Seconds(4.8e-4)}};
  view.kernels[3].layer = view.kernels[0].layer;
  view.unmatched = {6, 7};
  view.stalls = rooftile::roofline::network_stalls(view.kernels);
  view.notes = {"a note with </script>"};
  view.assumptions = {"an assumption"};
  view.dropped = {{"profile.csv:7", "time is 0"}};
  view.dropped_count = 3;
  return view;
}

View many_view() {
  constexpr std::size_t kKernels = 100'000, kNames = 500;
  View view = empty_view("many kernels");
  view.kernels.reserve(kKernels);
  for (std::size_t i = 0; i < kKernels; ++i) {
    const auto step = static_cast<double>(i % 9973), turn = static_cast<double>(i % 613);
    view.kernels.push_back(kernel(fmt::format("void kernel_{}<128, 64>(float const*, float*)", i % kNames),
                                  fmt::format("aten::op{}", i % 12), 1e5 * (1 + step * turn),
                                  {4e4 * (1 + step), 3e4 * (1 + step), 1e4 * (1 + step)}, 1e-6 * (1 + step + turn)));
  }
  return view;
}

// The library's own time points, one a kernel; null where there is none.
nlohmann::json points_of(const View& view) {
  nlohmann::json points = nlohmann::json::array();
  for (const Kernel& one : view.kernels) {
    const auto point = point_of(view, one);
    if (!point) {
      points.push_back(nullptr);
      continue;
    }
    points.push_back({{"bound", name_of(point->bound)},
                      {"compute_time_s", point->compute_time.value()},
                      {"bandwidth_time_s", point->bandwidth_time.value()},
                      {"overhead_s", point->overhead.value()},
                      {"achievable_s", point->achievable.value()},
                      {"inefficiency", point->inefficiency}});
  }
  return points;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: write_pages FOLDER\n";
    return 2;
  }
  const std::string folder = arguments[1];
  const View small = small_view();
  std::ofstream(folder + "/small.html") << rooftile::roofline_page(small);
  std::ofstream(folder + "/small.json") << points_of(small).dump(1);
  std::ofstream(folder + "/empty.html") << rooftile::roofline_page(empty_view("nothing"));
  std::ofstream(folder + "/many.html") << rooftile::roofline_page(many_view());
  return 0;
}
