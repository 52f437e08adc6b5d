// What GPUs cost, as JSON and CSV.
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/csv.hpp"
#include "rooftile/report/cost.hpp"
#include "rooftile/report/json_text.hpp"

namespace rooftile {
namespace {

using Json = nlohmann::ordered_json;

template <class Q>
Json optional(const std::optional<Q>& quantity) {
  return quantity ? Json(quantity->value()) : Json(nullptr);
}

Json board_json(const BoardReport& row) {
  const BoardCost& board = row.board;
  const HardwareCost& cost = board.cost;
  Json json = {{"gpu", board.gpu},
               {"chip", board.chip.empty() ? Json(nullptr) : Json(board.chip)},
               {"area_mm2",
                {{"total", cost.area.total()},
                 {"sms", cost.area.sms},
                 {"l2", cost.area.l2},
                 {"memory", cost.area.memory},
                 {"fixed", cost.area.fixed},
                 {"public", board.die_mm2 ? Json(*board.die_mm2) : Json(nullptr)}}},
               {"dies", cost.dies},
               {"dies_per_wafer", cost.dies_per_wafer},
               {"yield", cost.yield},
               {"cost_usd",
                {{"total", cost.price().value()},
                 {"silicon", cost.silicon.value()},
                 {"memory", cost.memory.value()},
                 {"package", cost.package.value()},
                 {"board", cost.board.value()}}},
               {"launch_price_usd", optional(board.launch_price)},
               {"power_w",
                {{"total", cost.power().value()},
                 {"arithmetic", cost.arithmetic.value()},
                 {"dram", cost.dram.value()},
                 {"rest", cost.idle.value()},
                 {"at_base_clock", board.base_clock},
                 {"held_out", optional(board.held_out_power)}}},
               {"tdp_w", optional(board.tdp)}};
  if (row.run) {
    const RunEnergy& energy = row.run->energy;
    json["run"] = {{"model", row.run->model},
                   {"samples", row.run->samples},
                   {"time_s", row.run->time.value()},
                   {"energy_j",
                    {{"total", energy.total().value()},
                     {"arithmetic", energy.arithmetic.value()},
                     {"l1", energy.l1.value()},
                     {"l2", energy.l2.value()},
                     {"dram", energy.dram.value()},
                     {"idle", energy.idle.value()}}}};
  }
  return json;
}

}  // namespace

std::string cost_json(const CostReport& report) {
  Json json = {{"schema", "rooftile/cost/1"}, {"boards", Json::array()}};
  for (const BoardReport& row : report.boards) json["boards"].push_back(board_json(row));
  if (!report.chips.empty()) {
    json["chips"] = Json::array();
    for (const ChipArea& chip : report.chips) {
      json["chips"].push_back({{"name", chip.chip},
                               {"generation", chip.generation},
                               {"process_nm", chip.process_nm},
                               {"in_fit", chip.fit},
                               {"public_mm2", chip.die_mm2},
                               {"predicted_mm2", chip.predicted_mm2},
                               {"held_out_mm2", chip.held_out_mm2}});
    }
  }
  if (!report.facts.empty()) {
    json["sources"] = Json::array();
    for (const CostFact& fact : report.facts) {
      Json entry = {{"key", fact.key}, {"value", fact.text}, {"kind", name_of(fact.kind)}, {"source", fact.source}};
      if (!fact.note.empty()) entry["note"] = fact.note;
      json["sources"].push_back(std::move(entry));
    }
  }
  return json_text(json);
}

std::string cost_csv(const CostReport& report) {
  std::string text = write_csv_row(std::vector<std::string>{
      "gpu",         "chip",       "area_mm2",    "public_mm2", "dies",     "dies_per_wafer",   "yield",
      "silicon_usd", "memory_usd", "package_usd", "board_usd",  "cost_usd", "launch_price_usd", "arithmetic_w",
      "dram_w",      "rest_w",     "power_w",     "tdp_w",      "model",    "samples",          "time_s",
      "energy_j"});
  const auto number = [](double value) { return fmt::format("{:.6g}", value); };
  const auto cell = [&](const auto& quantity) { return quantity ? number(quantity->value()) : ""; };
  for (const BoardReport& row : report.boards) {
    const BoardCost& board = row.board;
    const HardwareCost& cost = board.cost;
    std::vector<std::string> cells = {board.gpu,
                                      board.chip,
                                      number(cost.area.total()),
                                      board.die_mm2 ? fmt::format("{:g}", *board.die_mm2) : "",
                                      fmt::format("{:g}", cost.dies),
                                      number(cost.dies_per_wafer),
                                      number(cost.yield),
                                      number(cost.silicon.value()),
                                      number(cost.memory.value()),
                                      number(cost.package.value()),
                                      number(cost.board.value()),
                                      number(cost.price().value()),
                                      cell(board.launch_price),
                                      number(cost.arithmetic.value()),
                                      number(cost.dram.value()),
                                      number(cost.idle.value()),
                                      number(cost.power().value()),
                                      cell(board.tdp)};
    if (row.run) {
      cells.insert(cells.end(), {row.run->model, fmt::format("{:g}", row.run->samples), number(row.run->time.value()),
                                 number(row.run->energy.total().value())});
    } else {
      cells.resize(cells.size() + 4);
    }
    text += write_csv_row(cells);
  }
  return text;
}

}  // namespace rooftile
