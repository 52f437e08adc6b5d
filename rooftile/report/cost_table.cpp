// What GPUs cost, as text.
#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/units_text.hpp"
#include "rooftile/report/cost.hpp"
#include "rooftile/report/facts.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {
namespace {

std::string whole_number(double number) { return fmt::format("{:.0f}", number); }

// "+12 %", "-3 %".
std::string off(double predicted, double known) { return fmt::format("{:+.0f} %", 100 * (predicted / known - 1)); }

std::string missed(const std::vector<double>& ratios, const std::string& what, std::size_t width) {
  const Miss miss = miss_of(ratios);
  if (miss.rows < 2) return "";
  const std::string typically =
      miss.factor ? fmt::format("typically off by {:.0f} %", 100 * *miss.factor) : "at least one not above 0";
  return wrapped(fmt::format("{} over {} rows: {}", what, miss.rows, typically), width - 2, "  ") + "\n";
}

std::string chips_text(const std::vector<ChipArea>& chips, std::size_t width) {
  TextTable table({{"chip"},
                   {"generation"},
                   {"nm", Align::right},
                   {"public mm2", Align::right},
                   {"predicted", Align::right},
                   {"off", Align::right},
                   {"held out", Align::right}});
  std::vector<double> fitted, held_out;
  for (const ChipArea& chip : chips) {
    table.add({chip.chip + (chip.fit ? "" : " *"), chip.generation, fmt::format("{:g}", chip.process_nm),
               fmt::format("{:.4g}", chip.die_mm2), whole_number(chip.predicted_mm2),
               off(chip.predicted_mm2, chip.die_mm2), off(chip.held_out_mm2, chip.die_mm2)});
    if (!chip.fit) continue;
    fitted.push_back(chip.predicted_mm2 / chip.die_mm2);
    held_out.push_back(chip.held_out_mm2 / chip.die_mm2);
  }
  return "Die areas\n" + table.text(width) + missed(fitted, "fitted,", width) +
         missed(held_out, "held out (constants fitted to the other generations),", width) + "*: not in the fit\n\n";
}

std::string prices_text(const std::vector<BoardReport>& boards, std::size_t width) {
  TextTable table({{"gpu", Align::left, Cut::never},
                   {"area mm2", Align::right},
                   {"yield", Align::right},
                   {"silicon", Align::right},
                   {"memory", Align::right},
                   {"package", Align::right},
                   {"board", Align::right},
                   {"cost", Align::right},
                   {"launch price", Align::right},
                   {"price / cost", Align::right}});
  for (const BoardReport& row : boards) {
    const HardwareCost& cost = row.board.cost;
    const std::string area = cost.dies > 1 ? fmt::format("{:g} x {:.0f}", cost.dies, cost.area.total() / cost.dies)
                                           : whole_number(cost.area.total());
    std::string price = "-", ratio = "-";
    if (row.board.launch_price) {
      price = whole_number(row.board.launch_price->value());
      ratio = fmt::format("{:.1f}", *row.board.launch_price / cost.price());
    }
    table.add({row.board.gpu, area, percent(cost.yield, 1), whole_number(cost.silicon.value()),
               whole_number(cost.memory.value()), whole_number(cost.package.value()), whole_number(cost.board.value()),
               whole_number(cost.price().value()), price, ratio});
  }
  return "Manufacturing cost, USD\n" + table.text(width) + "\n";
}

std::string powers_text(const std::vector<BoardReport>& boards, std::size_t width) {
  TextTable table({{"gpu", Align::left, Cut::never},
                   {"arithmetic W", Align::right},
                   {"DRAM W", Align::right},
                   {"rest W", Align::right},
                   {"power W", Align::right},
                   {"TDP W", Align::right},
                   {"off", Align::right},
                   {"held out", Align::right}});
  std::vector<double> all, held_out;
  for (const BoardReport& row : boards) {
    const BoardCost& board = row.board;
    std::string tdp = "-", miss = "-", held = "-";
    if (board.tdp) {
      tdp = whole_number(board.tdp->value());
      miss = off(board.cost.power().value(), board.tdp->value());
      if (board.base_clock) all.push_back(board.cost.power() / *board.tdp);
      if (board.held_out_power) {
        held = off(board.held_out_power->value(), board.tdp->value());
        if (board.base_clock) held_out.push_back(*board.held_out_power / *board.tdp);
      }
    }
    table.add({board.gpu + (board.base_clock ? "" : " *"), whole_number(board.cost.arithmetic.value()),
               whole_number(board.cost.dram.value()), whole_number(board.cost.idle.value()),
               whole_number(board.cost.power().value()), tdp, miss, held});
  }
  return "Power at full use\n" + table.text(width) + missed(all, "where the base clock is known,", width) +
         missed(held_out, "tensor energy held out (fitted to the other architectures),", width) +
         "*: base clock unknown; boost clock used\n";
}

std::string runs_text(const std::vector<BoardReport>& boards, std::size_t width) {
  TextTable table({{"gpu", Align::left, Cut::never},
                   {"model"},
                   {"ms/sample", Align::right},
                   {"mJ/sample", Align::right},
                   {"arithmetic", Align::right},
                   {"L1", Align::right},
                   {"L2", Align::right},
                   {"DRAM", Align::right},
                   {"idle", Align::right},
                   {"mean W", Align::right}});
  for (const BoardReport& row : boards) {
    if (!row.run) continue;
    const RunEnergy& energy = row.run->energy;
    const double total = energy.total().value();
    table.add({row.board.gpu, row.run->model, four_digits(row.run->time.value() / row.run->samples * 1e3),
               four_digits(total / row.run->samples * 1e3), percent(energy.arithmetic.value(), total),
               percent(energy.l1.value(), total), percent(energy.l2.value(), total),
               percent(energy.dram.value(), total), percent(energy.idle.value(), total),
               row.run->time > Seconds(0) ? whole_number(total / row.run->time.value()) : "-"});
  }
  return table.empty() ? "" : "Energy\n" + table.text(width) + "\n";
}

}  // namespace

std::string cost_table(const CostReport& report, std::size_t width) {
  std::string text;
  if (!report.chips.empty()) text += chips_text(report.chips, width);
  if (!report.boards.empty()) {
    text += prices_text(report.boards, width) + runs_text(report.boards, width) + powers_text(report.boards, width);
  }
  if (!report.facts.empty())
    text += std::string(text.empty() ? "" : "\n") + "Sources\n" +
            facts_text(std::span<const CostFact>(report.facts), width);
  return text;
}

}  // namespace rooftile
