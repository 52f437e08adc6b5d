#include "rooftile/measure/folder.hpp"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/base/whole_file.hpp"

namespace rooftile::measure {
namespace {

namespace fs = std::filesystem;

std::string path_of(const std::string& folder, const char* file) { return (fs::path(folder) / file).string(); }
std::string device_path(const std::string& folder) { return path_of(folder, "device.toml"); }
std::string points_path(const std::string& folder) { return path_of(folder, "microbench.csv"); }

bool is_there(const std::string& path) {
  std::error_code error;
  return fs::exists(path, error);
}

}  // namespace

Result<void> open_folder(const std::string& folder, const Device& device) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return fail(ErrorCode::io, error.message(), folder);
  if (is_there(device_path(folder))) {
    const auto before = TRY(read_device(folder));
    if (before.name != device.name || before.sm_count != device.sm_count) {
      return fail(ErrorCode::usage,
                  fmt::format("holds measurements of {}, not of {}; choose another folder", before.name, device.name),
                  folder);
    }
    // What was measured first has its date.
    Device now = device;
    now.date = before.date;
    if (now == before) return {};
  }
  return write_whole_file(device_path(folder), write_device(device), Durability::disk);
}

Result<Device> read_device(const std::string& folder) {
  const std::string path = device_path(folder);
  return read_text_file(path).and_then([&](const std::string& text) { return parse_device(text, path); });
}

Result<std::vector<Point>> read_points(const std::string& folder) {
  const std::string path = points_path(folder);
  if (!is_there(path)) return std::vector<Point>();
  return read_text_file(path).and_then([&](const std::string& text) { return parse_points(text, path); });
}

Result<void> write_points(const std::string& folder, const std::vector<Point>& points) {
  std::string text = point_header();
  for (const Point& point : points) text += write_point(point);
  return write_whole_file(points_path(folder), text, Durability::disk);
}

Result<std::string> write_gpu_file(const std::string& folder, const GpuTextOptions& options) {
  const auto device = TRY(read_device(folder));
  const auto points = TRY(read_points(folder));
  const auto text = TRY(gpu_toml(device, points, options));
  std::string path = path_of(folder, "gpu.toml");
  TRY(write_whole_file(path, text, Durability::disk));
  return path;
}

Result<void> add_provenance(const std::string& folder, const Device& device, const std::string& version,
                            const std::string& command) {
  const std::string path = path_of(folder, "PROVENANCE.md");
  std::string text =
      "# Measured with rooftile-measure\n\nRandom inputs, nothing set on the GPU. The files: docs/measuring.md of "
      "Rooftile.\n\n";
  if (is_there(path)) {
    const auto before = TRY(read_text_file(path));
    text = before;
  }
  text += fmt::format("- {}: {}, driver {}, CUDA {}, cuDNN {}, cuBLASLt {}, rooftile-measure {}: `{}`\n", device.date,
                      device.name, device.driver, device.cuda, device.cudnn.empty() ? "none" : device.cudnn,
                      device.cublas.empty() ? "none" : device.cublas, version, one_line(command, 1000));
  return write_whole_file(path, text, Durability::disk);
}

}  // namespace rooftile::measure
