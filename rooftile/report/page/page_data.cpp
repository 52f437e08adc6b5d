// A page's data block: kernels column by column, texts once each, so that 100,000 kernels stay small.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rooftile/report/kernel_groups.hpp"
#include "rooftile/report/page/page_view.hpp"
#include "rooftile/roofline/stalls.hpp"
#include "rooftile/timing/estimate.hpp"

namespace rooftile {
namespace {

using Json = nlohmann::ordered_json;
using roofline::Kernel;
using roofline::View;

constexpr int kNone = -1;                  // in a column of places
constexpr std::size_t kStallKernels = 12;  // the longest, drawn one by one

// Texts by place, each once.
class Strings {
 public:
  int place_of(const std::string& text) {
    const auto [entry, fresh] = places_.try_emplace(text, static_cast<int>(texts_.size()));
    if (fresh) texts_.push_back(text);
    return entry->second;
  }
  // Nothing for an empty text.
  int place_or_none(const std::string& text) { return text.empty() ? kNone : place_of(text); }
  Json json() const { return texts_; }

 private:
  std::unordered_map<std::string, int> places_;
  std::vector<std::string> texts_;
};

// Whole numbers as integers, which are shorter; what JSON cannot hold is not known.
Json number(double value) {
  if (!std::isfinite(value)) return nullptr;
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (value == std::floor(value) && std::abs(value) <= kExact) return static_cast<std::int64_t>(value);
  return value;
}

template <class Q>
Json optional_number(const std::optional<Q>& quantity) {
  return quantity ? number(quantity->value()) : Json(nullptr);
}

// What `of` says of each kernel, in their order.
template <class F>
Json column(const View& view, F of) {
  Json values = Json::array();
  values.get_ref<Json::array_t&>().reserve(view.kernels.size());
  for (const Kernel& kernel : view.kernels) values.push_back(of(kernel));
  return values;
}

Json roof_json(const roofline::Roof& roof) {
  Json json = {{"name", roof.name},
               {"levels", Json::array()},
               {"peaks", Json::array()},
               {"launch_overhead_s", number(roof.launch_overhead.value())}};
  for (const roofline::RoofLevel& level : roof.levels) {
    json["levels"].push_back({{"name", level.name}, {"bandwidth", number(level.bandwidth.value())}});
  }
  for (std::size_t i = 0; i < kPeaks; ++i) {
    json["peaks"].push_back({{"name", name_of(static_cast<Peak>(i))}, {"rate", number(roof.peaks[i].value())}});
  }
  return json;
}

// The time if each limit were the only one; empty where no kernel says.
Json cases_json(const View& view) {
  Json cases = Json::array();
  const bool any = std::any_of(view.kernels.begin(), view.kernels.end(),
                               [](const Kernel& kernel) { return kernel.cases.has_value(); });
  if (!any) return cases;
  for (std::size_t i = 0; i < kBottlenecks; ++i) {
    cases.push_back(column(view, [i](const Kernel& kernel) {
      return kernel.cases ? number(kernel.cases->by[i].value()) : Json(nullptr);
    }));
  }
  return cases;
}

Json kernels_json(const View& view, Strings& strings) {
  Json json;
  json["name"] = column(view, [&](const Kernel& kernel) { return strings.place_of(kernel.name); });
  json["layer"] = column(view, [&](const Kernel& kernel) {
    return kernel.layer == kernel.name ? kNone : strings.place_or_none(kernel.layer);
  });
  json["op"] = column(view, [&](const Kernel& kernel) { return strings.place_or_none(kernel.op); });
  json["pass"] = column(view, [&](const Kernel& kernel) {
    return kernel.pass ? strings.place_of(std::string(name_of(*kernel.pass))) : kNone;
  });
  json["origin"] =
      column(view, [&](const Kernel& kernel) { return strings.place_of(std::string(name_of(kernel.origin))); });
  json["time_s"] = column(view, [](const Kernel& kernel) { return number(kernel.time.value()); });
  const bool intervals = std::any_of(view.kernels.begin(), view.kernels.end(), [](const Kernel& kernel) {
    return kernel.time_low.has_value() && kernel.time_high.has_value();
  });
  if (intervals) {
    json["time_low_s"] = column(view, [](const Kernel& kernel) { return optional_number(kernel.time_low); });
    json["time_high_s"] = column(view, [](const Kernel& kernel) { return optional_number(kernel.time_high); });
  }
  json["launches"] = column(view, [](const Kernel& kernel) { return number(kernel.launches); });
  json["flops"] = column(view, [](const Kernel& kernel) {
    return kernel.flops_known ? number(kernel.total_flops().value()) : Json(nullptr);
  });
  json["peak"] = column(view, [&](const Kernel& kernel) {
    const auto peak = roofline::roof_peak(kernel, view.roof, view.forced);
    return peak ? static_cast<int>(*peak) : kNone;
  });
  json["bytes"] = Json::array();
  for (std::size_t level = 0; level < view.roof.levels.size(); ++level) {
    json["bytes"].push_back(column(view, [level](const Kernel& kernel) {
      return level < kernel.bytes.size() ? optional_number(kernel.bytes[level]) : Json(nullptr);
    }));
  }
  json["limit"] = column(
      view, [](const Kernel& kernel) { return kernel.bottleneck ? static_cast<int>(*kernel.bottleneck) : kNone; });
  json["cases"] = cases_json(view);
  return json;
}

Json matches_json(const View& view) {
  Json matches = Json::array();
  for (const roofline::Match& match : view.matches) {
    Json ratios = Json::array();
    for (const auto& ratio : match.bytes_ratio) ratios.push_back(ratio ? number(*ratio) : Json(nullptr));
    matches.push_back({{"predicted", match.predicted},
                       {"measured", match.measured},
                       {"by", match.by},
                       {"measured_s", number(match.measured_time.value())},
                       {"time_ratio", number(match.time_ratio)},
                       {"bytes_ratio", std::move(ratios)},
                       {"loss_s", optional_number(match.loss)}});
  }
  return matches;
}

// Shares in the order of `names`; zero where a kernel has none of that name.
Json shares_json(const std::vector<roofline::StallShare>& shares, const std::vector<std::string>& names) {
  Json values = Json::array();
  for (const std::string& name : names) {
    const auto found =
        std::find_if(shares.begin(), shares.end(), [&](const auto& share) { return share.name == name; });
    values.push_back(found == shares.end() ? Json(0) : number(found->share));
  }
  return values;
}

// The first of each group of equal kernels: measured stalls where there are any, else the estimated ones.
std::vector<std::size_t> kernels_with_stalls(const View& view) {
  const bool measured = std::any_of(view.kernels.begin(), view.kernels.end(), [](const Kernel& kernel) {
    return !kernel.stalls.empty() && !kernel.stalls_estimated;
  });
  std::vector<KernelGroup> groups = equal_kernels(view.kernels);
  std::erase_if(groups, [&](const KernelGroup& group) {
    return group.kernel->stalls.empty() || group.kernel->stalls_estimated == measured;
  });
  std::stable_sort(groups.begin(), groups.end(),
                   [](const KernelGroup& a, const KernelGroup& b) { return a.time > b.time; });
  groups.resize(std::min(groups.size(), kStallKernels));
  std::vector<std::size_t> order;
  for (const KernelGroup& group : groups) {
    order.push_back(static_cast<std::size_t>(group.kernel - view.kernels.data()));
  }
  return order;
}

Json stalls_json(const View& view) {
  const std::vector<std::size_t> shown = kernels_with_stalls(view);
  const std::vector<std::string> names = roofline::used_stall_names(view);
  Json json = {{"names", names}, {"wholes", Json::array()}, {"kernels", Json::array()}};
  for (const roofline::NetworkStalls& whole : view.stalls) {
    json["wholes"].push_back({{"origin", name_of(whole.origin)},
                              {"estimated", whole.estimated},
                              {"time_s", number(whole.time.value())},
                              {"shares", shares_json(whole.shares, names)}});
  }
  for (const std::size_t kernel : shown) {
    json["kernels"].push_back({{"kernel", kernel},
                               {"estimated", view.kernels[kernel].stalls_estimated},
                               {"shares", shares_json(view.kernels[kernel].stalls, names)}});
  }
  return json;
}

Json view_json(const PageView& page) {
  const View& view = page.view;
  Strings strings;
  Json json = {{"name", page.name},           {"title", view.title},           {"subtitle", page.subtitle},
               {"file_name", page.file_name}, {"roof", roof_json(view.roof)},  {"level", view.level},
               {"limits", Json::array()},     {"cards", Json::array()},        {"setup", Json::array()},
               {"lists", Json::array()},      {"extra_columns", Json::array()}};
  for (std::size_t i = 0; i < kBottlenecks; ++i) json["limits"].push_back(name_of(static_cast<Bottleneck>(i)));
  for (const PageCard& card : page.cards) {
    json["cards"].push_back({{"label", card.label}, {"value", card.value}, {"note", card.note}});
  }
  for (const PageFact& fact : page.setup) json["setup"].push_back({{"label", fact.label}, {"value", fact.value}});
  for (const PageList& list : page.lists) {
    json["lists"].push_back({{"title", list.title}, {"items", list.items}, {"folded", list.folded}});
  }
  for (const PageColumn& extra : page.columns) {
    Json values = Json::array();
    for (const std::string& value : extra.values) values.push_back(strings.place_or_none(value));
    json["extra_columns"].push_back({{"key", extra.key}, {"title", extra.title}, {"values", std::move(values)}});
  }
  json["kernels"] = kernels_json(view, strings);
  json["matches"] = matches_json(view);
  json["stalls"] = stalls_json(view);
  json["strings"] = strings.json();
  return json;
}

}  // namespace

std::string page_data(std::span<const PageView> views) {
  Json json = {{"schema", "rooftile/page/1"}, {"views", Json::array()}};
  for (const PageView& view : views) json["views"].push_back(view_json(view));
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  // "</script>" in a name would end the block. In JSON '<' stands in texts only, where it may be written so.
  std::string safe;
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      safe += "\\u003c";
    } else {
      safe += c;
    }
  }
  return safe;
}

}  // namespace rooftile
