#include "rooftile/traffic/tile_loads.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>

#include "rooftile/base/rounded.hpp"

namespace rooftile {
namespace {

constexpr double kLanes = 32;
constexpr std::size_t kDepth = 0, kHeight = 1, kWidth = 2;

std::int64_t whole(double value) { return static_cast<std::int64_t>(value); }
double real(std::int64_t value) { return static_cast<double>(value); }

// The largest power of two that divides `value`, at most `limit`, itself a power of two. Zero is divided by all.
double two_power(double value, double limit) {
  const std::int64_t bits = whole(value) | whole(limit);
  return real(bits & -bits);
}

double modulo(double value, double step) { return value - step * std::floor(value / step); }

// Outputs whose tap at `shift` lies inside the input.
struct Valid {
  double from = 0, to = 0;
};
Valid valid_outputs(const LoadedAxis& axis, double tap) {
  const double first = tap * axis.dilation - axis.pad;
  const double from = first >= 0 ? 0 : rounded_up(-first / axis.stride);
  const double to = first >= axis.in ? 0 : rounded_up((axis.in - first) / axis.stride);
  return {from, std::max(from, std::min(to, axis.out))};
}

LoadedLayer loaded_layer(const Im2col& gemm, const MemoryLevel& l1, Bytes element) {
  LoadedLayer result;
  for (std::size_t i = 0; i < result.axes.size(); ++i) {
    result.axes[i] = {.in = gemm.in[i],
                      .out = gemm.out[i],
                      .filter = gemm.filter[i],
                      .stride = gemm.stride[i],
                      .dilation = gemm.dilation[i],
                      .pad = gemm.pad[i]};
  }
  auto& axes = result.axes;
  for (std::size_t i = kWidth; i-- > 0 && axes[kWidth].plain() && axes[i].plain();) {
    axes[kWidth].in *= axes[i].in;
    axes[kWidth].out *= axes[i].out;
    axes[i] = {};
  }
  for (LoadedAxis& axis : axes) {
    axis.tap_rows = axis.plain() ? axis.out : 0;
    if (axis.plain()) continue;
    for (double tap = 0; tap < axis.filter; ++tap) {
      const Valid valid = valid_outputs(axis, tap);
      axis.tap_rows += valid.to - valid.from;
    }
  }
  result.batch = gemm.batch;
  result.groups = gemm.groups;
  result.channels = gemm.in_channels;
  result.filters = gemm.n;
  result.plane = gemm.m / gemm.batch;
  result.k = gemm.k;
  result.taps = gemm.filter_volume;
  result.sector = l1.sector / element;
  result.line = l1.line / element;
  return result;
}

// Addresses that start at `offset` modulo `step`, all such positions in a granule (a sector or line, a power of two of
// elements) equally likely; step divides it.
struct Alignment {
  double offset = 0, step = 1, granule = 8;

  // Granules of `span` neighbouring elements: Hermite's identity for the mean of the floors.
  double granules(double span) const { return 1 + step / granule * rounded_down((offset + span - 1) / step); }
  // How often the address is at least `least` elements into its granule.
  double share_from(double least) const {
    const double places = granule / step;
    return std::clamp(places - rounded_up((least - offset) / step), 0.0, places) / places;
  }
};

Alignment alignment(double offset, double step, double granule) {
  const double common = two_power(step, granule);
  return {offset == 0 ? 0 : modulo(offset, common), common, granule};
}

// Rows of `length` elements, `pitch` apart, read in pieces of `piece`: filters, or samples with one output position.
double piecewise_sectors(const LoadedLayer& layer, double length, double pitch, double piece) {
  if (length <= 0) return 0;
  const double pieces = rounded_up(length / piece);
  const Alignment row = alignment(0, pitch, layer.sector);
  const double start = two_power(pitch, two_power(piece, layer.sector));
  // A piece that starts inside a sector asks for it once more, but for the first.
  const double again = pieces * alignment(0, start, layer.sector).share_from(1) - row.share_from(1);
  double sectors = row.granules(length) + std::clamp(again, 0.0, pieces - 1);
  if (length <= piece && pitch == length) sectors -= std::max(0.0, 1 - piece / kLanes) * row.share_from(1);
  return sectors;
}

// Sectors that the warps ask for along one row of outputs, all taps of the width.
double row_requests(const LoadedLayer& layer) {
  const LoadedAxis& width = layer.axes[kWidth];
  const LoadedAxis& height = layer.axes[kHeight];
  const double aligned = two_power(width.out, kLanes);  // rows start at multiples of this within a warp
  double sum = 0;
  for (double tap = 0; tap < width.filter; ++tap) {
    const Valid valid = valid_outputs(width, tap);
    const double count = valid.to - valid.from;
    if (count <= 0) continue;
    if (width.stride >= layer.sector) {
      sum += count;
      continue;
    }
    const double shift = tap * width.dilation - width.pad;
    const Alignment row = alignment(valid.from * width.stride + shift, width.in, layer.sector);
    const double span = (count - 1) * width.stride + 1;
    // Warps end at all multiples of `aligned` alike. One that ends inside a row splits a sector unless it ends with it.
    const double ends = rounded_up(valid.to / aligned) - rounded_down(valid.from / aligned) - 1;
    const double start = two_power(width.in, two_power(aligned * width.stride, layer.sector));
    const double anywhere = alignment(shift, start, layer.sector).share_from(width.stride);
    const double at_start = alignment(shift, width.in, layer.sector).share_from(width.stride);
    const double splits = aligned / kLanes * std::clamp((ends + 1) * anywhere - at_start, 0.0, std::max(0.0, ends));
    // Rows that follow each other in a warp may share a sector.
    const double follows = (1 - aligned / kLanes) * (1 - 1 / height.out);
    const double joined = row.share_from(height.stride * width.in - span + 1);
    sum += row.granules(span) + splits - follows * joined;
  }
  return sum;
}

double input_plane(const LoadedLayer& layer) {
  return layer.axes[kDepth].in * layer.axes[kHeight].in * layer.axes[kWidth].in;
}

// Sectors of activations that all warps of one column of CTAs ask for.
double requested_activations(const LoadedLayer& layer, const Tile& tile) {
  if (layer.one_output()) {
    const double pitch = layer.channels * layer.groups * input_plane(layer);
    double used = layer.channels;
    for (const LoadedAxis& axis : layer.axes) used *= axis.tap_rows;
    return layer.batch * layer.groups * piecewise_sectors(layer, used, pitch, tile.k);
  }
  return layer.batch * layer.groups * layer.channels * layer.axes[kDepth].tap_rows * layer.axes[kHeight].tap_rows *
         row_requests(layer);
}

// Distinct positions that `taps` neighbouring taps of all outputs touch along an axis (modelling notes, U(n; R, s, d)),
// clipped to what any tap reaches inside the input, and how many of them chunks of `chunk` outputs have in common with
// the next one.
struct Touched {
  double all = 1, common = 0;
  double adjoining = 1;  // share of the positions whose neighbour is touched too
  bool whole = true;     // all of the input
};
Touched touched(const LoadedAxis& axis, double taps, double chunk) {
  if (axis.plain() && axis.in == 1) return {};
  const double divisor = gcd_of(axis.stride, axis.dilation);
  const double stride = axis.stride / divisor, dilation = axis.dilation / divisor;
  const double more = std::max(taps - stride, 0.0);    // taps that reach what the next output touches
  const double outputs = axis.tap_rows / axis.filter;  // that a tap has inside the input
  const double all = outputs * taps - std::max(outputs - dilation, 0.0) * more;
  const double low = std::max(0.0, -axis.pad);
  const double high =
      std::min(axis.in - 1, (axis.out - 1) * axis.stride + (axis.filter - 1) * axis.dilation - axis.pad);
  const double most = high - low + 1;
  const bool gapless = all >= most || (taps >= stride && std::min(chunk, axis.out) >= dilation);
  const double adjoining = gapless ? 1 : (axis.dilation == 1 ? (taps - 1) / taps : 0);
  return {std::min(all, most), std::min(dilation, chunk) * more, adjoining, all >= most && most == axis.in};
}

// Distinct granules (sectors or lines) of one channel of one sample that the CTAs of a column touch, each CTA on its
// own, if what `taps` along each axis touch counts once.
struct Region {
  double granules = 0;
  double joined = 0;  // shared with the next channel
  double uncut = 0;   // share of channels that one CTA has whole
};
Region region(const LoadedLayer& layer, double granule, double tile_m, const std::array<double, 3>& taps) {
  const LoadedAxis& width = layer.axes[kWidth];
  const LoadedAxis& height = layer.axes[kHeight];
  const LoadedAxis& depth = layer.axes[kDepth];
  const double reach = (taps[kWidth] - 1) * width.dilation + 1;
  const double low = std::max(0.0, -width.pad);
  const double high =
      std::min(width.in - 1, (width.out - 1) * width.stride + (width.filter - 1) * width.dilation - width.pad);
  const double span = std::min(high - low + 1, (width.out - 1) * width.stride + reach);
  const bool sparse = width.stride - reach >= granule;  // no two outputs share a granule
  const double row =
      sparse ? width.out * (1 + (reach - 1) / granule) : alignment(low, width.in, granule).granules(span);
  // What two CTAs both touch of a row that they share.
  const double common_width = std::max(0.0, reach - width.stride) / granule;
  // Slices that CTAs of less than a slice share with no other, each as often as a tap meets it.
  const double slice_taps = depth.tap_rows * taps[kDepth] / depth.filter;
  const double cut = two_power(tile_m, granule);  // tiles end at multiples of this
  Region result;
  if (tile_m < width.out) {  // rows are cut, and shared with no other CTA
    const double cuts = (width.out - gcd_of(width.out, tile_m)) / tile_m;
    const double rows = slice_taps * height.tap_rows * taps[kHeight] / height.filter;
    const double start = two_power(width.in, two_power(two_power(width.out, cut) * width.stride, granule));
    result.granules = rows * (row + cuts * (common_width + alignment(-width.pad, start, granule).share_from(1)));
    return result;
  }
  const double slice = height.out * width.out;
  const Touched rows = touched(height, taps[kHeight], tile_m / width.out);
  // Rows that follow each other may share a granule.
  const auto joined_at = [&](double pitch) {
    return alignment(low, width.in, granule).share_from(pitch * width.in - span + 1);
  };
  const double far = std::max(1.0, height.stride - (taps[kHeight] - 1) * height.dilation);
  const double joined = sparse ? 0 : rows.adjoining * joined_at(1) + (1 - rows.adjoining) * joined_at(far);
  const double split = alignment(0, two_power(width.in, cut), granule).share_from(1);
  const double alone = row - joined;  // of a row whose neighbour is there already
  // Of rows that a tile ends within, each CTA has a part of every tap's.
  const double inside = 1 - gcd_of(width.out, tile_m) / width.out;
  const double more_parts = inside * (std::min(taps[kHeight], height.stride) - 1);
  const double again =
      rows.common * alone + (span == width.in ? common_width : 0) + split + more_parts * (split + joined);
  if (tile_m < slice) {
    const double cuts = (slice - gcd_of(slice, tile_m)) / tile_m;
    result.granules = slice_taps * (rows.all * alone + joined + cuts * again);
    return result;
  }
  const Touched slices = touched(depth, taps[kDepth], tile_m / slice);
  const double cuts = (layer.plane - gcd_of(layer.plane, tile_m)) / tile_m;
  const double all_slices = slices.all + cuts * slices.common;
  const double between = rows.whole ? joined * slices.adjoining : 0;  // neighbouring slices
  result.granules =
      all_slices * (rows.all * alone + joined - between) + between + cuts * (depth.out > 1 ? split : again);
  if (rows.whole && slices.whole) result.joined = joined;
  result.uncut = std::max(0.0, 1 - cuts);
  return result;
}

// The same for taps that are means: 1.5 rows are 1 row in half of the windows and 2 in the others.
Region mean_region(const LoadedLayer& layer, double granule, double tile_m, const std::array<double, 3>& taps) {
  for (const std::size_t axis : {kDepth, kHeight}) {
    const double less = rounded_down(taps[axis]), share = taps[axis] - less;
    if (share == 0) continue;
    std::array<double, 3> low = taps, high = taps;
    low[axis] = less;
    high[axis] = less + 1;
    const Region fewer = mean_region(layer, granule, tile_m, low), more = mean_region(layer, granule, tile_m, high);
    const auto mean = [&](double of_fewer, double of_more) { return of_fewer + share * (of_more - of_fewer); };
    return {mean(fewer.granules, more.granules), mean(fewer.joined, more.joined), mean(fewer.uncut, more.uncut)};
  }
  return region(layer, granule, tile_m, taps);
}

// Pairs of pieces that overlap if `length` is cut into pieces of `a` and, on its own, into pieces of `b`.
double meetings(double length, double a, double b) {
  return rounded_up(length / a) + rounded_up(length / b) - rounded_up(length / (a / gcd_of(b, a) * b));
}

// What a step of the main loop loads on average.
struct Step {
  double channels = 1;           // that it meets
  std::array<double, 3> taps{};  // of each of them, along each axis
};
Step mean_step(const LoadedLayer& layer, const Tile& tile) {
  const double row = layer.axes[kWidth].filter, slice = row * layer.axes[kHeight].filter;
  const double channels = meetings(layer.k, tile.k, layer.taps), slices = meetings(layer.k, tile.k, slice);
  const double rows = meetings(layer.k, tile.k, row);
  return {channels / rounded_up(layer.k / tile.k), {slices / channels, rows / slices, layer.k / rows}};
}

// Lines of activations that a CTA loads in one step.
double lines_a_step(const LoadedLayer& layer, const Tile& tile) {
  const Step step = mean_step(layer, tile);
  const double m = layer.batch * layer.plane, ctas = rounded_up(m / tile.m);
  const double lines = step.channels * layer.batch * mean_region(layer, layer.line, tile.m, step.taps).granules;
  // No more than the planes have, where several rows or channels lie in a line.
  const double whole = alignment(0, input_plane(layer), layer.line).granules(step.channels * input_plane(layer));
  return std::min(lines, meetings(m, tile.m, layer.plane) * whole) / ctas;
}

// What a channel costs if nothing is kept from step to step.
double granules_apart(const LoadedLayer& layer, const Tile& tile) {
  const Step step = mean_step(layer, tile);
  const double steps = step.channels * rounded_up(layer.k / tile.k) / layer.channels;  // that meet a channel
  return steps * mean_region(layer, layer.sector, tile.m, step.taps).granules;
}

std::array<double, 3> all_taps(const LoadedLayer& layer) {
  return {layer.axes[kDepth].filter, layer.axes[kHeight].filter, layer.axes[kWidth].filter};
}

}  // namespace

double gcd_of(double a, double b) {
  if (a == 1 || b == 1) return 1;
  if (a == b) return a;
  const std::int64_t second = whole(b);
  if ((second & (second - 1)) == 0) return two_power(a, b);  // tiles: much faster
  return real(std::gcd(whole(a), second));
}

TileLoads tile_loads(const Im2col& gemm, const Tile& tile, const MemoryLevel& l1, Bytes element) {
  TileLoads loads;
  loads.layer = loaded_layer(gemm, l1, element);
  loads.tile = tile;
  loads.columns = rounded_up(gemm.n / tile.n);
  loads.rows = rounded_up(gemm.m / tile.m);
  loads.ctas = loads.columns * loads.rows * gemm.groups;
  loads.element = element;
  loads.sector = l1.sector;
  const LoadedLayer& layer = loads.layer;
  loads.asked = requested_activations(layer, tile);
  const double filter_rows = layer.filters * layer.groups;
  loads.asked_filters = filter_rows * piecewise_sectors(layer, layer.k, layer.k, tile.k);
  loads.filters = filter_rows * piecewise_sectors(layer, layer.k, layer.k, layer.k);

  const double tile_n = std::min<double>(tile.n, layer.filters), step_k = std::min<double>(tile.k, layer.k);
  loads.step_lines = layer.one_output() ? std::min<double>(tile.m, layer.batch) : lines_a_step(layer, tile);
  loads.filter_lines =
      std::min(tile_n * alignment(0, two_power(layer.k, two_power(tile.k, layer.line)), layer.line).granules(step_k),
               tile_n * layer.k / layer.line + 1);

  const double planes = layer.planes();
  if (layer.one_output()) {
    loads.activations = layer.batch * layer.groups * piecewise_sectors(layer, layer.k, layer.k * layer.groups, layer.k);
    loads.activations_apart = loads.asked;
  } else {
    const Region channel = region(layer, layer.sector, tile.m, all_taps(layer));
    const double joined_channels = planes * (1 - 1 / layer.channels) * channel.joined * channel.uncut;
    const double same_step = layer.taps < tile.k ? 1 - layer.taps / tile.k : 0;
    loads.activations = planes * std::min(channel.granules, loads.asked / planes) - joined_channels;
    loads.activations_apart =
        planes * std::min(granules_apart(layer, tile), loads.asked / planes) - joined_channels * same_step;
  }
  loads.activations = std::clamp(loads.activations, 0.0, loads.asked);
  loads.activations_apart = std::clamp(loads.activations_apart, loads.activations, loads.asked);

  const Region once = region(layer, layer.sector, layer.plane, all_taps(layer));
  loads.once = once.granules;
  loads.once_bytes = layer.one_output()
                         ? loads.sector * loads.activations
                         : loads.sector * (planes * (once.granules - once.joined * (1 - 1 / layer.channels)));
  loads.stores = gemm.groups * gemm.m * gemm.n * element;
  loads.compulsory = compulsory_elements(gemm) * element;
  return loads;
}

double sectors_apart(const LoadedLayer& layer, double rows) {
  return region(layer, layer.sector, rows, all_taps(layer)).granules;
}

}  // namespace rooftile
