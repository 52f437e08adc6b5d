// Layers beyond the square 2-D convolution of the paper, worked out by hand: fully connected, grouped, dilated, 3-D,
// and a filter with a single row.
//
// The arithmetic stands above each layer, so that it can be followed with a pocket calculator. Shorthand: "down" is
// the vertical distance of a CTA's tile (Eqs 5, 6), "across" the horizontal one (Eqs 7, 8), "a step" one main-loop
// iteration of one CTA. hand_worked.hpp has the numbers of the GPUs.
#include <gtest/gtest.h>

#include "rooftile/predict/hand_worked.hpp"

namespace rooftile {
namespace {

// AlexNet fc6 as a 1x1 convolution of one pixel.
TEST(HandWorked, FullyConnectedFc6) {
  // M = 256·1 = 256, N = 4096, K = 9216·1 = 9216. Tile of N = 4096: 128x128x8, 2 active CTAs.
  // CTAs: ceil(4096/128)·ceil(256/128) = 32·2 = 64; loops: ceil(9216/8) = 1152; on the busiest of 84 SMs: 1, in 1
  // wave.
  // L1: ratio 1·1/(1-1+1) = 1, MLI ceil(1·4)/4 = 1; a step 4·(128·8·1 + 128·8·2) = 12288; all 64·1152 steps
  // 905969664.
  // L2: a step 4·(128·8 + 128·8) = 8192, all 603979776.
  // DRAM: 4·(256·9216·1·32 columns + 9216·4096) = 301989888 + 150994944; stored: 4·256·4096 = 4194304.
  // A step in ns: L1 130.584, L2 317.549, DRAM 452984832/73728/10.119 = 607.172; t_GLS 921.665; t_SAS 185.507; t_CS
  // 128·128·8/88.32 = 1484.058. Prologue 1323.330; 65536 bytes of output: 6476.499 to DRAM.
  // compute: 1323.330 + (1484.058·1152 + 6476.499)·1 = 1717435 ns.
  // latency: 1323.330 + ((921.665 + 1484.058/8)·1152 + 6476.499)·1 = 1283262 ns.
  Conv conv;
  conv.batch = 256;
  conv.in_channels = 9216;
  conv.out_channels = 4096;
  expect(conv, "v100-delta",
         {.tile = {128, 128, 8},
          .ctas = 64,
          .loops = 1152,
          .active = 2,
          .ctas_per_sm = 1,
          .waves = 1,
          .l1 = 905969664,
          .l2 = 603979776,
          .dram = 452984832,
          .store = 4194304,
          .nanoseconds = {1717435, 221504, 1283262, 152453, 369680, 707262},
          .bottleneck = Bottleneck::compute});
}

// AlexNet conv2 as first published, in two groups: two GEMMs of half the channels.
TEST(HandWorked, GroupedAlexNetConv2) {
  // M = 256·27·27 = 186624, N = 256/2 = 128, K = 96/2·5·5 = 1200. Tile of N = 128: 128x128x8, 2 active CTAs.
  // CTAs: ceil(128/128)·ceil(186624/128)·2 groups = 1·1458·2 = 2916; loops: ceil(1200/8) = 150; on the busiest of 30
  // SMs: 98, in 49 waves.
  // L1: ratio 31·1/(31-5+1) = 1.14815, MLI ceil = 2; a step 4·(128·8·2 + 128·8·2) = 16384; all 2916·150 steps
  // 7166361600.
  // L2: down 128·1.14815 = 146.963, ·8/25 = 47.0281; across 7/5·27 + 7·4/5 = 43.4, ·(1 + 128/(27·27)) = 51.0203; sum
  // 98.0484; a step 4·(98.0484 + 128·8) = 4488.194; all 1963135968.
  // DRAM: 4·(256·96·31·31·1 columns + 1200·128·2) = 94470144 + 1228800; stored: 4·186624·256 = 191102976.
  // A step in ns: L1 178.087, L2 128.112, DRAM 95698944/437400/15 = 14.586; t_GLS 322.181; t_SAS 162.025; t_CS
  // 128·128·8/202.24 = 648.101. Prologue 1030.943; 65536 bytes of output: 4369.067 to DRAM.
  // compute: 1030.943 + (648.101·150 + 4369.067)·98 = 9956288 ns.
  // latency: 1030.943 + ((322.181 + 648.101/8)·150 + 4369.067)·49 = 3178588 ns.
  Conv conv;
  conv.batch = 256;
  conv.in_channels = 96;
  conv.out_channels = 256;
  conv.groups = 2;
  conv.axes[kHeight] = conv.axes[kWidth] = {.in = 27, .filter = 5, .pad_begin = 2, .pad_end = 2};
  expect(conv, "titan-xp-delta",
         {.tile = {128, 128, 8},
          .ctas = 2916,
          .loops = 150,
          .active = 2,
          .ctas_per_sm = 98,
          .waves = 49,
          .l1 = 7166361600,
          .l2 = 1963135968,
          .dram = 95698944,
          .store = 191102976,
          .nanoseconds = {9956288, 2810972, 3178588, 2688719, 2067605, 643614},
          .bottleneck = Bottleneck::compute});
}

// A 3x3 filter with dilation 2, as in segmentation networks: the filter spans 5 positions.
TEST(HandWorked, DilatedFcnConv5) {
  // M = 16·28·28 = 12544, N = 512, K = 512·3·3 = 4608. Tile of N = 512: 128x128x8, 2 active CTAs.
  // CTAs: ceil(512/128)·ceil(12544/128) = 4·98 = 392; loops: ceil(4608/8) = 576; on the busiest of 84 SMs: 5, in 3
  // waves.
  // L1: ratio 32·1/(32-5+1) = 1.14286, MLI ceil(1.14286·4)/4 = 1.25; a step 4·(128·8·1.25 + 128·8·2) = 13312; all
  // 392·576 steps 3005743104.
  // L2: down 128·1.14286 = 146.286, ·8/9 = 130.032; across 7/3·28 + 7·2/3 = 70, ·(1 + 128/(28·28)) = 81.4286; sum
  // 211.46; a step 4·(211.46 + 128·8) = 4941.841; all 1115828224.
  // DRAM: 4·(16·512·32·32·4 columns + 4608·512) = 134217728 + 9437184; stored: 4·12544·512 = 25690112.
  // A step in ns: L1 141.467, L2 191.562, DRAM 143654912/225792/10.119 = 62.874; t_GLS 377.367; t_SAS 185.507; t_CS
  // 128·128·8/88.32 = 1484.058. Prologue 1323.330; 65536 bytes of output: 6476.499 to DRAM.
  // compute: 1323.330 + (1484.058·576 + 6476.499)·5 = 4307793 ns.
  // latency: 1323.330 + ((377.367 + 1484.058/8)·576 + 6476.499)·3 = 993399 ns.
  Conv conv;
  conv.batch = 16;
  conv.in_channels = 512;
  conv.out_channels = 512;
  conv.axes[kHeight] = conv.axes[kWidth] = {.in = 28, .filter = 3, .dilation = 2, .pad_begin = 2, .pad_end = 2};
  expect(conv, "v100-delta",
         {.tile = {128, 128, 8},
          .ctas = 392,
          .loops = 576,
          .active = 2,
          .ctas_per_sm = 5,
          .waves = 3,
          .l1 = 3005743104,
          .l2 = 1115828224,
          .dram = 143654912,
          .store = 25690112,
          .nanoseconds = {4307793, 567967, 993399, 412229, 565724, 214783},
          .bottleneck = Bottleneck::compute});
}

// C3D conv2: 3x3x3 filters over frames, height and width.
TEST(HandWorked, VideoConv2) {
  // M = 8·16·56·56 = 401408, N = 128, K = 64·3·3·3 = 1728. Tile of N = 128: 128x128x8, 2 active CTAs.
  // CTAs: ceil(128/128)·ceil(401408/128) = 1·3136 = 3136; loops: ceil(1728/8) = 216; on the busiest of 56 SMs: 56,
  // in 28 waves.
  // L1: ratio 58·1/(58-3+1) = 1.03571, MLI ceil = 2; a step 4·(128·8·2 + 128·8·2) = 16384; all 3136·216 steps
  // 11098128384.
  // L2: down 128·1.03571 = 132.571, ·8/27 = 39.2804; across 7/3·56 + 7·2/3 = 135.333, ·(1 + 128/(16·56·56)) =
  // 135.679; sum 174.959; a step 4·(174.959 + 128·8) = 4795.836; all 3248584192.
  // DRAM: 4·(8·64·18·58·58·1 columns + 1728·128) = 124010496 + 884736; stored: 4·401408·128 = 205520896.
  // A step in ns: L1 430.026, L2 194.332, DRAM 124895232/677376/9.82143 = 18.773; t_GLS 498.360; t_SAS 213.333; t_CS
  // 128·128·8/76.8 = 1706.667. Prologue 1472.428; 65536 bytes of output: 6672.756 to DRAM.
  // compute: 1472.428 + (1706.667·216 + 6672.756)·56 = 21018987 ns.
  // latency: 1472.428 + ((498.360 + 1706.667/8)·216 + 6672.756)·28 = 4492628 ns.
  Conv conv;
  conv.batch = 8;
  conv.in_channels = 64;
  conv.out_channels = 128;
  conv.axes[kDepth] = {.in = 16, .filter = 3, .pad_begin = 1, .pad_end = 1};
  conv.axes[kHeight] = conv.axes[kWidth] = {.in = 56, .filter = 3, .pad_begin = 1, .pad_end = 1};
  expect(conv, "p100-delta",
         {.tile = {128, 128, 8},
          .ctas = 3136,
          .loops = 216,
          .active = 2,
          .ctas_per_sm = 56,
          .waves = 28,
          .l1 = 11098128384,
          .l2 = 3248584192,
          .dram = 124895232,
          .store = 205520896,
          .nanoseconds = {21018987, 2955627, 4492628, 5299396, 2500825, 602229},
          .bottleneck = Bottleneck::compute});
}

// Inception v3, a 1x7 filter: the height has no padding and no neighbours.
TEST(HandWorked, InceptionConv1x7) {
  // M = 32·17·17 = 9248, N = 192, K = 128·1·7 = 896. Tile of N = 192: 128x64x4, 4 active CTAs.
  // CTAs: ceil(192/64)·ceil(9248/128) = 3·73 = 219; loops: ceil(896/4) = 224; on the busiest of 84 SMs: 3, in 1
  // wave.
  // L1: ratio 23·1/(23-7+1) = 1.35294, MLI ceil(1.35294·4)/4 = 1.5; a step 4·(128·4·1.5 + 64·4·2.75) = 5888; all
  // 219·224 steps 288841728.
  // L2: down 128·1.35294 = 173.176, ·4/7 = 98.958; across 3/7·17 + 3·6/7 = 9.85714, ·(1 + 128/(17·17)) = 14.2229;
  // sum 113.181; a step 4·(113.181 + 64·4) = 1476.724; all 72442157.
  // DRAM: 4·(32·128·17·23·3 columns + 896·192) = 19218432 + 688128; stored: 4·9248·192 = 7102464.
  // A step in ns: L1 62.572, L2 57.243, DRAM 19906560/49056/10.119 = 40.102; t_GLS 354.595; t_SAS 52.174; t_CS
  // 128·64·4/88.32 = 371.014. Prologue 684.021; 32768 bytes of output: 3238.249 to DRAM.
  // compute: 684.021 + (371.014·224 + 3238.249)·3 = 259721 ns.
  // latency: 684.021 + ((354.595 + 371.014/4)·224 + 3238.249)·1 = 104128 ns.
  Conv conv;
  conv.batch = 32;
  conv.in_channels = 128;
  conv.out_channels = 192;
  conv.axes[kHeight] = {.in = 17};
  conv.axes[kWidth] = {.in = 17, .filter = 7, .pad_begin = 3, .pad_end = 3};
  expect(conv, "v100-delta",
         {.tile = {128, 64, 4},
          .ctas = 219,
          .loops = 224,
          .active = 4,
          .ctas_per_sm = 3,
          .waves = 1,
          .l1 = 288841728,
          .l2 = 72442157,
          .dram = 19906560,
          .store = 7102464,
          .nanoseconds = {259721, 45460, 104128, 43777, 42962, 37347},
          .bottleneck = Bottleneck::compute});
}

}  // namespace
}  // namespace rooftile
