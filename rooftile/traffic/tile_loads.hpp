// What the CTAs of an im2col implicit GEMM touch, in sectors and lines: of a layer and its tile alone, before any cache
// size, SM count or residency (traffic/refined.hpp).
#pragma once

#include <array>

#include "rooftile/gpu/gpu.hpp"
#include "rooftile/ops/conv.hpp"
#include "rooftile/plan/plan.hpp"

namespace rooftile {

struct LoadedAxis {
  double in = 1, out = 1, filter = 1, stride = 1, dilation = 1, pad = 0;
  double tap_rows = 1;  // sum over taps of the outputs whose tap lies inside

  bool plain() const { return filter == 1 && stride == 1 && pad == 0 && in == out; }
};

// The layer with neighbouring axes merged where every position is used once, and what follows from it alone.
struct LoadedLayer {
  std::array<LoadedAxis, 3> axes{};
  double batch = 1, groups = 1, channels = 1, filters = 1;
  double plane = 1;  // output positions of a sample
  double k = 1, taps = 1;
  double sector = 8, line = 32;  // elements

  bool one_output() const { return plane == 1; }
  double planes() const { return batch * groups * channels; }  // of the input
};

// Sectors are of the whole layer, one column of CTAs each; lines of one CTA and step.
struct TileLoads {
  LoadedLayer layer;
  Tile tile;
  double columns = 1, rows = 1;  // CTA tiles over n and over m
  double ctas = 1;               // of all groups
  Bytes element{4}, sector{32};
  double asked = 0;              // activations that warps ask for
  double asked_filters = 0;      // of one row of CTAs, all groups
  double activations = 0;        // loaded if a step finds what the one before loaded
  double activations_apart = 0;  // and if it does not
  double filters = 0;            // each once, all groups
  double step_lines = 0, filter_lines = 0;
  double once = 0;   // activations of a plane that any CTA touches, each once
  Bytes once_bytes;  // of all planes
  Bytes stores, compulsory;
};

// `element` is the size of an element of any tensor.
TileLoads tile_loads(const Im2col& gemm, const Tile& tile, const MemoryLevel& l1, Bytes element);

// Activations of a plane that CTAs of so many `rows` touch, each on its own.
double sectors_apart(const LoadedLayer& layer, double rows);

// Of whole numbers; fast where `b` is a power of two.
double gcd_of(double a, double b);

}  // namespace rooftile
