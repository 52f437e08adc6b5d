// Any bytes as a store, and a store with some bytes written over: an error, or content that can all be read.
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "one_line_error.hpp"

#include "rooftile/store/fitted.hpp"
#include "rooftile/store/integrity.hpp"
#include "rooftile/store/measurements.hpp"
#include "rooftile/store/predictions.hpp"
#include "rooftile/store/store.hpp"

namespace {

using namespace rooftile;
namespace fs = std::filesystem;

void require(bool condition) {
  if (!condition) std::abort();
}

class Files {
 public:
  Files() : folder_(fs::temp_directory_path() / ("rooftile-fuzz-" + std::to_string(::getpid()))) {
    fs::create_directories(folder_);
    const std::string path = (folder_ / "whole.db").string();
    {
      auto store = store::Store::open(path, {.access = store::Access::write}).value();
      auto writer = store::MeasurementWriter::begin(store).value();
      writer.begin_file({"t.csv", "layer table", "me", "2026-01-31"}, {"op", "M", "N", "K", "gpu", "time_us"});
      const std::array<std::string, 6> cells = {"gemm", "1", "64", "64", "t4", "5.0"};
      require(writer.add({"gemm", "t4", "fp32", "fwd", ""}, 2, cells).value());
      require(writer.commit().has_value());
      require(save_fitted(store, {"one", "layers", "3 rows", "2026-01-31", "a = 1\n"}).has_value());
      store::SavedPrediction prediction;
      prediction.model = "m";
      prediction.time = Seconds(1);
      require(save_predictions(store, std::array{prediction}).has_value());
    }
    std::ifstream file(path, std::ios::binary);
    whole_.assign(std::istreambuf_iterator<char>(file), {});
  }
  ~Files() { fs::remove_all(folder_); }

  const std::string& whole() const { return whole_; }

  void read(std::string_view bytes) const {
    const std::string path = (folder_ / "s.db").string();
    std::ofstream(path, std::ios::binary) << bytes;
    for (const char* beside : {"-wal", "-shm", "-journal"}) fs::remove(path + beside);
    auto store = store::Store::open(path);
    if (!store) return require(is_one_line_error(store.error()));
    const auto checked = check_everything(*store);
    require(checked || is_one_line_error(checked.error()));
    const auto predictions = list_predictions(*store);
    require(predictions || is_one_line_error(predictions.error()));
    const auto counts = count_measurements(*store);
    require(counts || is_one_line_error(counts.error()));
    const auto models = list_fitted(*store);
    require(models || is_one_line_error(models.error()));
  }

 private:
  fs::path folder_;
  std::string whole_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Files files;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  files.read(text);
  constexpr std::size_t kPlace = 3;
  if (size <= kPlace) return 0;
  std::string bytes = files.whole();
  const std::size_t at = (data[0] * std::size_t{65536} + data[1] * std::size_t{256} + data[2]) % bytes.size();
  const std::string_view over = text.substr(kPlace).substr(0, bytes.size() - at);
  bytes.replace(at, over.size(), over);
  files.read(bytes);
  return 0;
}
