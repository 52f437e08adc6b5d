#include "rooftile/traffic/refined.hpp"

#include <algorithm>
#include <cmath>

#include "rooftile/gpu/usable_l1.hpp"

namespace rooftile {

double kept(double others, double lines, double ways) {
  constexpr double kHalf = 0.5;
  const double sets = std::max(1.0, std::floor(lines / ways));
  const double mean = others / sets;
  const double variance = std::max(mean * (1 - 1 / sets), 1e-9);
  const double above = mean - (std::min(ways, lines) - kHalf);
  constexpr double kFar = 6;  // deviations, beyond which a billionth is left
  if (above * above > kFar * kFar * variance) return above < 0 ? 1 : 0;
  return kHalf * std::erfc(above / std::sqrt(2 * variance));
}

RefinedTraffic refined_traffic(const Im2col& gemm, const Plan& plan, const Gpu& gpu, Bytes element) {
  return refined_traffic(tile_loads(gemm, plan.kernel.tile, gpu.level("L1"), element), plan, gpu);
}

RefinedTraffic refined_traffic(const TileLoads& loads, const Plan& plan, const Gpu& gpu) {
  const LoadedLayer& layer = loads.layer;
  const Tile& tile = loads.tile;
  const MemoryLevel& l1 = gpu.level("L1");
  const MemoryLevel& l2 = gpu.level("L2");
  const Bytes sector = loads.sector;
  RefinedTraffic terms;

  // L1: what warps ask for.
  terms.l1_activations = sector * (loads.asked * plan.columns);
  terms.l1_filters = sector * (loads.asked_filters * plan.rows);

  // How CTAs lie on the SMs.
  const double wave = gpu.sm_count * plan.active_ctas_per_sm;
  const double full_waves = std::floor(plan.ctas / wave);
  const double last = plan.ctas - full_waves * wave;
  const double waves = full_waves + (last > 0 ? 1 : 0);
  const double sm_waves = full_waves * gpu.sm_count + std::min(last, gpu.sm_count);  // SMs at work, over all waves
  const double active = plan.ctas / sm_waves;
  const double all_columns = plan.columns * layer.groups;
  // CTAs of one SM lie as many places apart as there are SMs: how often two neighbours are of different columns.
  const double neighbours = std::max(1.0, plan.ctas - (full_waves < 1 ? gpu.sm_count : 0));
  const double change =
      plan.rows <= gpu.sm_count && all_columns > 1 ? 1 : std::min(1.0, (all_columns - 1) * gpu.sm_count / neighbours);
  const auto columns_an_sm = [&](double ctas) { return 1 + (ctas - 1) * change; };
  // Columns of one wave whose CTAs of the same row meet on one SM share the activations in its L1.
  const double columns_a_wave = std::min(plan.columns, std::min(wave, plan.ctas) / plan.rows);
  const double meet = gpu.sm_count / gcd_of(plan.rows, gpu.sm_count);
  const double met = std::max(0.0, 1 - meet / columns_a_wave);

  // L2: what the L1 misses.
  const double l1_lines = usable_l1(gpu) / l1.line;
  const double tile_n = std::min<double>(tile.n, layer.filters);
  // The last wave leaves SMs with fewer CTAs.
  const double in_full_waves = full_waves * wave / plan.ctas;
  const double last_active = last / std::max(1.0, std::min(last, gpu.sm_count));
  const auto keeps_activations = [&](double ctas) {
    return kept(ctas * loads.step_lines + columns_an_sm(ctas) * loads.filter_lines, l1_lines, l1.ways);
  };
  terms.l1_keeps_activations = (in_full_waves > 0 ? in_full_waves * keeps_activations(plan.active_ctas_per_sm) : 0) +
                               (last > 0 ? (1 - in_full_waves) * keeps_activations(last_active) : 0);
  terms.l1_keeps_filters = kept(loads.step_lines + loads.filter_lines, l1_lines, l1.ways);
  const double keeps = terms.l1_keeps_activations;
  terms.l2_activations =
      sector * plan.columns * (1 - keeps * met) * (keeps * loads.activations + (1 - keeps) * loads.activations_apart);
  // Filters that are not in the L1 yet: each SM's once a wave, or once a column where all of them stay. Each line of
  // them is met in every step for as long as it lasts, then not until the next wave.
  const double sm_visits = plan.rows / active * columns_an_sm(active);
  const double first_visits = std::min(sm_visits, gpu.sm_count);
  double new_filters = first_visits;
  if (sm_visits > first_visits) {
    const double steps = layer.k / std::min<double>(tile.k, layer.k);
    const double elsewhere = std::max(0.0, 1 - layer.line / layer.k);
    const double stays = kept(active * loads.step_lines + loads.filter_lines +
                                  elsewhere * (active * loads.step_lines * steps + tile_n * layer.k / layer.line),
                              l1_lines, l1.ways);
    new_filters += (sm_visits - first_visits) * (1 - stays);
  }
  new_filters *= loads.filters;
  terms.l2_filters = terms.l1_filters * (1 - terms.l1_keeps_filters) + sector * new_filters * terms.l1_keeps_filters;
  terms.l2_filters = std::min(terms.l2_filters, terms.l1_filters);

  // DRAM: what the L2 misses.
  const double l2_lines = l2.capacity / l2.line;
  const double line_bytes = l2.line.value();
  const double once_bytes = loads.once_bytes.value();
  const double rows_a_wave = std::min(wave, plan.rows);
  terms.passes =
      std::max(1.0, (full_waves * std::min(1.0, wave / plan.rows) + std::min(1.0, last / plan.rows)) / layer.groups);
  const double column_bytes = once_bytes / layer.groups;
  const double wave_bytes = column_bytes * rows_a_wave / plan.rows;
  const double filter_column = layer.k * tile_n * loads.element.value();
  const double output_wave = wave * tile.m * tile_n * loads.element.value();
  const double wave_lines = (wave_bytes + filter_column * std::max(1.0, wave / plan.rows) + output_wave) / line_bytes;
  terms.l2_keeps_filters = kept(wave_lines, l2_lines, l2.ways);
  const double column_lines =
      (column_bytes + filter_column + layer.batch * layer.plane * tile_n * loads.element.value()) / line_bytes;
  terms.l2_keeps_activations = kept(std::max(column_lines, wave_lines), l2_lines, l2.ways);
  // What two waves share is read again unless the L2 kept it: CTAs of a wave are one large tile.
  double halo = 0;
  if (!layer.one_output() && terms.l2_keeps_filters < 1) {
    const double apart = sectors_apart(layer, rows_a_wave * tile.m);
    halo = layer.planes() * std::max(0.0, apart - loads.once) * sector.value();
  }
  const double again = 1 + (terms.passes - 1) * (1 - terms.l2_keeps_activations);
  terms.dram_activations = Bytes(again * (once_bytes + halo * (1 - terms.l2_keeps_filters)));
  const double filters_once = layer.k * (layer.filters * layer.groups) * loads.element.value();
  const double visits = std::max(all_columns, waves + all_columns - 1) / all_columns;
  terms.dram_filters = Bytes(filters_once * (1 + (visits - 1) * (1 - terms.l2_keeps_filters)));
  terms.dram_activations = std::clamp(terms.dram_activations, Bytes(0), terms.l2_activations);
  terms.dram_filters = std::min(terms.dram_filters, terms.l2_filters);

  terms.total.l1 = terms.l1_activations + terms.l1_filters;
  terms.total.l2 = terms.l2_activations + terms.l2_filters;
  terms.total.dram = terms.dram_activations + terms.dram_filters;
  terms.total.store_l2 = terms.total.store_dram = loads.stores;
  terms.total.compulsory = loads.compulsory;
  return terms;
}

}  // namespace rooftile
