// A roofline's view as a page.
#include <algorithm>
#include <array>
#include <cstddef>

#include <fmt/format.h>

#include "rooftile/base/units_text.hpp"
#include "rooftile/report/page/page.hpp"
#include "rooftile/report/page/page_view.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

using roofline::Kernel;
using roofline::Origin;
using roofline::View;

constexpr std::array kBounds = {roofline::Bound::compute, roofline::Bound::bandwidth, roofline::Bound::launch};

std::size_t count_of(const View& view, Origin origin) {
  return static_cast<std::size_t>(std::count_if(view.kernels.begin(), view.kernels.end(),
                                                [&](const Kernel& kernel) { return kernel.origin == origin; }));
}

void add_times(const View& view, std::vector<PageCard>& cards) {
  for (const Origin origin : {Origin::measured, Origin::predicted}) {
    const std::size_t count = count_of(view, origin);
    if (count == 0) continue;
    const bool measured = origin == Origin::measured;
    cards.push_back({fmt::format("{} time", name_of(origin)), print(total_time(view, origin)),
                     fmt::format("{} {}", grouped(static_cast<double>(count)), measured ? "kernels" : "layers")});
  }
}

// The share of the time that each bound takes at the view's level, by origin.
void add_bounds(const View& view, std::vector<PageCard>& cards) {
  for (const Origin origin : {Origin::measured, Origin::predicted}) {
    std::array<Seconds, kBounds.size()> times{};
    Seconds known;
    for (const Kernel& kernel : view.kernels) {
      const auto point = point_of(view, kernel);
      if (kernel.origin != origin || !point) continue;
      times[static_cast<std::size_t>(point->bound)] += kernel.time;
      known += kernel.time;
    }
    if (known <= Seconds(0)) continue;
    const auto most = std::max_element(times.begin(), times.end());
    cards.push_back(
        {fmt::format("bound of most {} time", name_of(origin)),
         std::string(name_of(kBounds[static_cast<std::size_t>(most - times.begin())])),
         fmt::format("{} at {}", percent(most->value(), known.value()), view.roof.levels[view.level].name)});
  }
}

void add_losses(const View& view, std::vector<PageCard>& cards) {
  Seconds loss;
  for (const roofline::Match& match : view.matches) loss += std::max(Seconds(0), match.loss.value_or(Seconds(0)));
  if (view.matches.empty()) return;
  cards.push_back({"saving", print(loss), fmt::format("in {} matched layers", view.matches.size())});
}

void add_utilisation(const View& view, std::vector<PageCard>& cards) {
  const auto add = [&](const char* label, const std::optional<double>& share, const char* note) {
    if (share) cards.push_back({label, percent(*share, 1), note});
  };
  add("GPU utilisation", view.utilisation.gpu, "time with a kernel running");
  add("FP32 utilisation", view.utilisation.fp32, "FLOPs of the FP32 peak while kernels run");
  add("CPU utilisation", view.utilisation.cpu, "time in operators, mean of the threads that ran any");
}

std::vector<PageFact> setup_of(const View& view) {
  std::vector<PageFact> setup;
  const auto add = [&](const char* label, const std::string& value) {
    if (!value.empty()) setup.push_back({label, value});
  };
  add("model", view.model);
  add("GPU", view.gpu);
  add("roof", view.roof.name);
  if (view.batch_size) add("batch size", fmt::format("{}", *view.batch_size));
  add("precision", view.precision);
  add("pass", view.pass);
  add("method", view.method);
  if (view.forced) add("roof forced to", std::string(name_of(*view.forced)));
  for (const std::string& profile : view.profiles) add("profile", profile);
  return setup;
}

}  // namespace

std::vector<PageList> lists_of(const roofline::View& view) {
  PageList sources = {.title = "Sources of the roof", .items = {}, .folded = true};
  for (const Fact& fact : view.roof.sources) {
    sources.items.push_back(fmt::format("{} = {} ({}): {}{}", fact.key, fact.text, name_of(fact.kind), fact.source,
                                        fact.note.empty() ? "" : " – " + fact.note));
  }
  PageList dropped = {.title = "Not drawn: invalid input", .items = {}, .folded = true};
  for (const roofline::DroppedInput& one : view.dropped) {
    dropped.items.push_back(fmt::format("{}: {}", one.where, one.reason));
  }
  if (view.dropped_count > view.dropped.size()) {
    dropped.items.push_back(fmt::format("and {} more", view.dropped_count - view.dropped.size()));
  }
  PageList unmatched = {.title = "Without a match", .items = {}, .folded = true};
  for (const std::size_t place : view.unmatched) {
    const roofline::Kernel& kernel = view.kernels[place];
    unmatched.items.push_back(fmt::format("{}, {}, {}", kernel.name, name_of(kernel.origin), print(kernel.time)));
  }
  return {{.title = "Notes", .items = view.notes},
          {.title = "Assumptions", .items = view.assumptions},
          std::move(dropped),
          std::move(unmatched),
          std::move(sources)};
}

std::string roofline_page(const roofline::View& view) {
  PageView page;
  page.view = view;
  page.name = view.gpu;
  page.subtitle = fmt::format("Roofline, {}", view.roof.name);
  page.file_name = file_name_of("roofline-" + view.title);
  add_times(view, page.cards);
  add_bounds(view, page.cards);
  add_losses(view, page.cards);
  add_utilisation(view, page.cards);
  page.setup = setup_of(view);
  page.lists = lists_of(view);
  return rooftile::page({&page, 1});
}

}  // namespace rooftile
