// What --save of predict keeps in the store.
#include <ctime>
#include <span>
#include <string>
#include <vector>

#include "rooftile/base/try.hpp"
#include "rooftile/cli/store_commands.hpp"
#include "rooftile/cli/version.hpp"
#include "rooftile/predict/prediction.hpp"
#include "rooftile/store/predictions.hpp"
#include "rooftile/workload/dtype.hpp"

namespace rooftile::cli {
namespace {

// In UTC, "2026-01-31".
std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  std::string text(16, '\0');
  text.resize(std::strftime(text.data(), text.size(), "%Y-%m-%d", &parts));
  return text;
}

}  // namespace

Result<void> save_predictions(const std::string& db, std::span<const Prediction> predictions,
                              const std::string& calibration) {
  std::vector<store::SavedPrediction> saved;
  for (const Prediction& prediction : predictions) {
    store::SavedPrediction one;
    one.model = prediction.model;
    one.gpu = prediction.gpu;
    one.method = prediction.method;
    one.precision = prediction.precision_name();
    one.pass = prediction.pass;
    one.batch_size = prediction.batch_size;
    one.time = prediction.time;
    if (const auto interval = interval_of(prediction)) {
      one.time_low = interval->low;
      one.time_high = interval->high;
    }
    one.calibration = calibration;
    one.version = version();
    one.date = today();
    saved.push_back(std::move(one));
  }
  auto store = TRY(open_store(db, store::Access::write));
  TRY(store::save_predictions(store, saved));
  return {};
}

}  // namespace rooftile::cli
