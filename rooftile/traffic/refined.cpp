#include "rooftile/traffic/refined.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "rooftile/base/rounded.hpp"
#include "rooftile/gpu/usable_l1.hpp"

namespace rooftile {

CacheSets cache_sets(double lines, double ways) {
  return {std::max(1.0, rounded_down(lines / ways)), std::min(ways, lines)};
}

double kept(double others, const CacheSets& cache) {
  constexpr double kHalf = 0.5;
  const double mean = others / cache.sets;
  const double variance = std::max(mean * (1 - 1 / cache.sets), 1e-9);
  const double above = mean - (cache.ways - kHalf);
  constexpr double kFar = 6;  // deviations, beyond which a billionth is left
  if (above * above > kFar * kFar * variance) return above < 0 ? 1 : 0;
  return kHalf * std::erfc(above / std::sqrt(2 * variance));
}

CacheSizes cache_sizes(const Gpu& gpu) {
  const MemoryLevel& l1 = gpu.level("L1");
  const MemoryLevel& l2 = gpu.level("L2");
  return {.sms = gpu.sm_count,
          .l1 = cache_sets(usable_l1(gpu) / l1.line, l1.ways),
          .l2 = cache_sets(l2.capacity / l2.line, l2.ways),
          .l2_line = l2.line};
}

RefinedTraffic refined_traffic(const Im2col& gemm, const Plan& plan, const Gpu& gpu, Bytes element) {
  const TileLoads loads = tile_loads(gemm, plan.kernel.tile, gpu.level("L1"), element);
  return refined_traffic(loads, {loads, plan.active_ctas_per_sm, gpu.sm_count}, cache_sizes(gpu));
}

CtaPlaces::CtaPlaces(const TileLoads& loads, double resident_ctas, double sms)
    : columns(loads.columns), rows(loads.rows), ctas(loads.ctas), resident(resident_ctas) {
  wave = sms * resident;
  full_waves = rounded_down(ctas / wave);
  last = ctas - full_waves * wave;
  const double sm_waves = full_waves * sms + std::min(last, sms);  // SMs at work, over all waves
  active = ctas / sm_waves;
  all_columns = columns * loads.layer.groups;
  // CTAs of one SM lie as many places apart as there are SMs.
  const double neighbours = std::max(1.0, ctas - (full_waves < 1 ? sms : 0));
  change = rows <= sms && all_columns > 1 ? 1 : std::min(1.0, (all_columns - 1) * sms / neighbours);
  // Columns of one wave whose CTAs of the same row meet on one SM share the activations in its L1.
  const double columns_a_wave = std::min(columns, std::min(wave, ctas) / rows);
  met = columns_a_wave > 1 ? std::max(0.0, 1 - sms / gcd_of(rows, sms) / columns_a_wave) : 0;
  sm_visits = rows / active * columns_an_sm(active);
  first_visits = std::min(sm_visits, sms);
}

namespace {

// Sectors that warps ask for.
Bytes asked_activations(const TileLoads& loads, const CtaPlaces& places) {
  return loads.sector * (loads.asked * places.columns);
}
Bytes asked_filters(const TileLoads& loads, const CtaPlaces& places) {
  return loads.sector * (loads.asked_filters * places.rows);
}

// CTAs that are so many on an SM, as a share of all. The last wave leaves SMs with fewer, some with one less than
// others.
struct Residents {
  double ctas = 1, share = 1;
};
std::array<Residents, 3> residents(const CtaPlaces& places, double sms) {
  const double fewer = rounded_down(places.last / sms), fuller_sms = places.last - fewer * sms;
  return {Residents{places.resident, places.full_waves * places.wave / places.ctas},
          Residents{fewer + 1, fuller_sms * (fewer + 1) / places.ctas},
          Residents{fewer, (sms - fuller_sms) * fewer / places.ctas}};
}

struct L1Share {
  double activations = 0;  // that the step before left
  double filters = 0;      // that are there, or that no step on this SM could have left
};

// Of CTAs of one column, `ctas` on an SM, `own` being the lines of filters of a step and `others` those of other
// columns; `near` is found after one CTA of its own column.
L1Share found_in_l1(const TileLoads& loads, const CtaPlaces& places, const CacheSizes& caches, double ctas, double own,
                    double others, double near) {
  const double columns = places.columns_an_sm(ctas);
  const auto left = [&](double ctas_between, double columns_between) {
    return kept(ctas_between * loads.step_lines + own + (columns_between - 1) * others, caches.l1);
  };
  // A CTA finds the filters that the one before it on the SM loaded in the same step, if that is of its column. The
  // first of a column finds those sectors again of which its column loaded a part a step ago.
  const double first = columns / ctas, again = 1 - loads.filters / loads.asked_filters;
  const double first_of_mixed = std::min(first, 2 * (ctas - 1) * places.change / ctas);  // on SMs with several columns
  const double mixed = std::min(ctas, std::max(2.0, columns));
  const double far = first_of_mixed > 0 ? left(ctas - ctas / mixed + 1, mixed) : near;
  const double lost =
      (1 - first) * (1 - near) + again * ((first - first_of_mixed) * (1 - near) + first_of_mixed * (1 - far));
  return {ctas == 1 ? near : left(ctas, columns), 1 - lost};
}

// The mean over CTAs. The last column may have fewer filters than others.
L1Share found_in_l1(const TileLoads& loads, const CtaPlaces& places, const CacheSizes& caches) {
  const double filters = loads.layer.filters, width = std::min<double>(loads.tile.n, filters);
  const double full = rounded_down(filters / width), rest = filters - full * width;
  const double mean_lines = loads.filter_lines * filters / (width * places.columns);
  struct Columns {
    double count, filters, lines, near;
  };
  const auto columns_of = [&](double count, double of_each) -> Columns {
    if (of_each == 0) return {};
    const double lines = loads.filter_lines * of_each / width;
    return {count, of_each, lines, kept(loads.step_lines + lines, caches.l1)};
  };
  const std::array kinds = {columns_of(full, width), columns_of(1, rest)};
  L1Share mean;
  for (const Residents& some : residents(places, caches.sms)) {
    for (const Columns& kind : kinds) {
      if (some.share == 0 || kind.filters == 0) continue;
      const L1Share found = found_in_l1(loads, places, caches, some.ctas, kind.lines, mean_lines, kind.near);
      mean.activations += some.share * kind.count / places.columns * found.activations;
      mean.filters += some.share * kind.count * kind.filters / filters * found.filters;
    }
  }
  return mean;
}

double filter_bytes(const TileLoads& loads) {
  return loads.layer.k * (loads.layer.filters * loads.layer.groups) * loads.element.value();
}

// What the L1 misses of what it is asked for.
void add_l2(RefinedTraffic& terms, const TileLoads& loads, const CtaPlaces& places, const CacheSizes& caches) {
  const LoadedLayer& layer = loads.layer;
  const Tile& tile = loads.tile;
  const Bytes sector = loads.sector;
  const double tile_n = std::min<double>(tile.n, layer.filters);
  const L1Share found = found_in_l1(loads, places, caches);
  terms.l1_keeps_activations = found.activations;
  terms.l1_keeps_filters = found.filters;
  const double keeps = terms.l1_keeps_activations;
  terms.l2_activations = sector * places.columns * (1 - keeps * places.met) *
                         (keeps * loads.activations + (1 - keeps) * loads.activations_apart);
  // Filters that are not in the L1 yet: each SM's once a wave, or once a column where all of them stay. Each line of
  // them is met in every step for as long as it lasts, then not until the next wave.
  double new_filters = places.first_visits;
  if (places.sm_visits > places.first_visits) {
    const double steps = layer.k / std::min<double>(tile.k, layer.k);
    const double elsewhere = std::max(0.0, 1 - layer.line / layer.k);
    const double stays =
        kept(places.active * loads.step_lines + loads.filter_lines +
                 elsewhere * (places.active * loads.step_lines * steps + tile_n * layer.k / layer.line),
             caches.l1);
    new_filters += (places.sm_visits - places.first_visits) * (1 - stays);
  }
  new_filters *= loads.filters;
  terms.l2_filters = terms.l1_filters * (1 - terms.l1_keeps_filters) + sector * new_filters;
  terms.l2_filters = std::min(terms.l2_filters, terms.l1_filters);
}

// What the L2 misses of what it is asked for.
void add_dram(RefinedTraffic& terms, const TileLoads& loads, const CtaPlaces& places, const CacheSizes& caches) {
  const LoadedLayer& layer = loads.layer;
  const Tile& tile = loads.tile;
  const double wave = places.wave, full_waves = places.full_waves, last = places.last;
  const double waves = full_waves + (last > 0 ? 1 : 0);
  const double tile_n = std::min<double>(tile.n, layer.filters);
  const double line_bytes = caches.l2_line.value();
  const double once_bytes = loads.once_bytes.value();
  const double rows_a_wave = std::min(wave, places.rows);
  terms.passes = std::max(
      1.0, (full_waves * std::min(1.0, wave / places.rows) + std::min(1.0, last / places.rows)) / layer.groups);
  const double column_bytes = once_bytes / layer.groups;
  const double wave_bytes = column_bytes * rows_a_wave / places.rows;
  const double filter_column = layer.k * tile_n * loads.element.value();
  const double output_wave = wave * tile.m * tile_n * loads.element.value();
  const double wave_lines = (wave_bytes + filter_column * std::max(1.0, wave / places.rows) + output_wave) / line_bytes;
  terms.l2_keeps_filters = kept(wave_lines, caches.l2);
  const double column_lines =
      (column_bytes + filter_column + layer.batch * layer.plane * tile_n * loads.element.value()) / line_bytes;
  terms.l2_keeps_activations = kept(std::max(column_lines, wave_lines), caches.l2);
  // What two waves share is read again unless the L2 kept it: CTAs of a wave are one large tile.
  double halo = 0;
  if (!layer.one_output() && terms.l2_keeps_filters < 1) {
    const double apart = sectors_apart(layer, rows_a_wave * tile.m);
    halo = layer.planes() * std::max(0.0, apart - loads.once) * loads.sector.value();
  }
  const double again = 1 + (terms.passes - 1) * (1 - terms.l2_keeps_activations);
  terms.dram_activations = Bytes(again * (once_bytes + halo * (1 - terms.l2_keeps_filters)));
  const double filters_once = filter_bytes(loads);
  const double visits = std::max(places.all_columns, waves + places.all_columns - 1) / places.all_columns;
  terms.dram_filters = Bytes(filters_once * (1 + (visits - 1) * (1 - terms.l2_keeps_filters)));
  terms.dram_activations = std::clamp(terms.dram_activations, Bytes(0), terms.l2_activations);
  terms.dram_filters = std::min(terms.dram_filters, terms.l2_filters);
}

}  // namespace

LeastLoads least_loads(const TileLoads& loads, const CtaPlaces& places) {
  constexpr double kRounding = 1e-12;
  const Bytes activations =
      loads.sector * places.columns * (1 - places.met) * std::min(loads.activations, loads.activations_apart);
  const Bytes filters = std::min(asked_filters(loads, places), loads.sector * (places.first_visits * loads.filters));
  const Bytes dram = std::min(loads.once_bytes, activations) + std::min(Bytes(filter_bytes(loads)), filters);
  return {(activations + filters) * (1 - kRounding), dram * (1 - kRounding)};
}

RefinedTraffic refined_traffic(const TileLoads& loads, const CtaPlaces& places, const CacheSizes& caches) {
  RefinedTraffic terms;
  terms.l1_activations = asked_activations(loads, places);
  terms.l1_filters = asked_filters(loads, places);
  add_l2(terms, loads, places, caches);
  add_dram(terms, loads, places, caches);
  terms.total.l1 = terms.l1_activations + terms.l1_filters;
  terms.total.l2 = terms.l2_activations + terms.l2_filters;
  terms.total.dram = terms.dram_activations + terms.dram_filters;
  terms.total.store_l2 = terms.total.store_dram = loads.stores;
  terms.total.compulsory = loads.compulsory;
  return terms;
}

}  // namespace rooftile
