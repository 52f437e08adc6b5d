// Layers of the paper's networks, worked out by hand from the equations: plan, bytes and the six times.
//
// The arithmetic stands above each layer, so that it can be followed with a pocket calculator. Shorthand: "down" is
// the vertical distance of a CTA's tile (Eqs 5, 6), "across" the horizontal one (Eqs 7, 8), "a step" one main-loop
// iteration of one CTA. hand_worked.hpp has the numbers of the GPUs.
#include <gtest/gtest.h>

#include "rooftile/predict/hand_worked.hpp"

namespace rooftile {
namespace {

// AlexNet conv1: 96 filters of 11x11, stride 4, and the only layer of the paper that the L1 limits.
TEST(HandWorked, AlexNetConv1) {
  // M = 256·55·55 = 774400, N = 96, K = 3·11·11 = 363. Tile of N = 96: 128x32x4, 6 active CTAs.
  // CTAs: ceil(96/32)·ceil(774400/128) = 3·6050 = 18150; loops: ceil(363/4) = 91; on the busiest of 30 SMs: 605, in
  // 101 waves.
  // L1: ratio 228·4/(228-11+1) = 4.18349, MLI ceil = 5; a step 4·(128·4·5 + 32·4·2.75) = 11648; all 18150·91 steps
  // 19238419200.
  // L2: down 128·4.18349 = 535.486, ·4/121 = 17.702; across 3/11·218 + 3·10/11 = 62.1818, ·(1 + 128/(54.5·54.5)) =
  // 64.8615; sum 82.5635; a step 4·(82.5635 + 32·4) = 842.254; all 1391108864.
  // DRAM: 4·(256·3·228·228·3 columns + 363·96) = 479084544 + 139392; stored: 4·774400·96 = 297369600.
  // A step in ns: L1 126.609, L2 24.042, DRAM 479223936/1651650/15 = 19.343; t_GLS 326.938; t_SAS 32.911; t_CS
  // 128·32·4/202.24 = 81.013. Prologue 526.363; 16384 bytes of output: 1092.267 to DRAM.
  // compute: 526.363 + (81.013·91 + 1092.267)·605 = 5121500 ns.
  // latency: 526.363 + ((326.938 + 81.013/4)·91 + 1092.267)·101 = 3301881 ns.
  Conv conv;
  conv.batch = 256;
  conv.in_channels = 3;
  conv.out_channels = 96;
  conv.axes[kHeight] = conv.axes[kWidth] = {.in = 224, .filter = 11, .stride = 4, .pad_begin = 2, .pad_end = 2};
  expect(conv, "titan-xp-delta",
         {.tile = {128, 32, 4},
          .ctas = 18150,
          .loops = 91,
          .active = 6,
          .ctas_per_sm = 605,
          .waves = 101,
          .l1 = 19238419200,
          .l2 = 1391108864,
          .dram = 479223936,
          .store = 297369600,
          .nanoseconds = {5121500, 2473284, 3301881, 7078711, 1607071, 1726290},
          .bottleneck = Bottleneck::l1});
}

// AlexNet conv2: 5x5 filters, two columns of CTAs.
TEST(HandWorked, AlexNetConv2) {
  // M = 256·27·27 = 186624, N = 256, K = 96·5·5 = 2400. Tile of N = 256: 128x128x8, 2 active CTAs.
  // CTAs: ceil(256/128)·ceil(186624/128) = 2·1458 = 2916; loops: ceil(2400/8) = 300; on the busiest of 30 SMs: 98,
  // in 49 waves.
  // L1: ratio 31·1/(31-5+1) = 1.14815, MLI ceil = 2; a step 4·(128·8·2 + 128·8·2) = 16384; all 2916·300 steps
  // 14332723200.
  // L2: down 128·1.14815 = 146.963, ·8/25 = 47.0281; across 7/5·27 + 7·4/5 = 43.4, ·(1 + 128/(27·27)) = 51.0203; sum
  // 98.0484; a step 4·(98.0484 + 128·8) = 4488.194; all 3926271936.
  // DRAM: 4·(256·96·31·31·2 columns + 2400·256) = 188940288 + 2457600; stored: 4·186624·256 = 191102976.
  // A step in ns: L1 178.087, L2 128.112, DRAM 191397888/874800/15 = 14.586; t_GLS 322.181; t_SAS 162.025; t_CS
  // 128·128·8/202.24 = 648.101. Prologue 1030.943; 65536 bytes of output: 4369.067 to DRAM.
  // compute: 1030.943 + (648.101·300 + 4369.067)·98 = 19483377 ns.
  // latency: 1030.943 + ((322.181 + 648.101/8)·300 + 4369.067)·49 = 6142061 ns.
  Conv conv;
  conv.batch = 256;
  conv.in_channels = 96;
  conv.out_channels = 256;
  conv.axes[kHeight] = conv.axes[kWidth] = {.in = 27, .filter = 5, .pad_begin = 2, .pad_end = 2};
  expect(conv, "titan-xp-delta",
         {.tile = {128, 128, 8},
          .ctas = 2916,
          .loops = 300,
          .active = 2,
          .ctas_per_sm = 98,
          .waves = 49,
          .l1 = 14332723200,
          .l2 = 3926271936,
          .dram = 191397888,
          .store = 191102976,
          .nanoseconds = {19483377, 5192744, 6142061, 5306598, 3950853, 858029},
          .bottleneck = Bottleneck::compute});
}

// VGG-16 conv1_1: three input channels, a large map and a short main loop.
TEST(HandWorked, VggConv1x1) {
  // M = 256·224·224 = 12845056, N = 64, K = 3·3·3 = 27. Tile of N = 64: 128x64x4, 4 active CTAs.
  // CTAs: ceil(64/64)·ceil(12845056/128) = 1·100352 = 100352; loops: ceil(27/4) = 7; on the busiest of 56 SMs: 1792,
  // in 448 waves.
  // L1: ratio 226·1/(226-3+1) = 1.00893, MLI ceil = 2; a step 4·(128·4·2 + 64·4·2.75) = 6912; all 100352·7 steps
  // 4855431168.
  // L2: down 128·1.00893 = 129.143, ·4/9 = 57.3968; across 3/3·224 + 3·2/3 = 226, ·(1 + 128/(224·224)) = 226.577;
  // sum 283.973; a step 4·(283.973 + 64·4) = 2159.893; all 1517247374.
  // DRAM: 4·(256·3·226·226·1 columns + 27·64) = 156905472 + 6912; stored: 4·12845056·64 = 3288334336.
  // A step in ns: L1 181.417, L2 87.521, DRAM 156912384/702464/9.82143 = 22.744; t_GLS 427.744; t_SAS 60.000; t_CS
  // 128·64·4/76.8 = 426.667. Prologue 797.785; 32768 bytes of output: 3336.378 to DRAM.
  // compute: 797.785 + (426.667·7 + 3336.378)·1792 = 11331694 ns.
  // latency: 797.785 + ((427.744 + 426.667/4)·7 + 3336.378)·448 = 3171406 ns.
  Conv conv;
  conv.batch = 256;
  conv.in_channels = 3;
  conv.out_channels = 64;
  conv.axes[kHeight] = conv.axes[kWidth] = {.in = 224, .filter = 3, .pad_begin = 1, .pad_end = 1};
  expect(conv, "p100-delta",
         {.tile = {128, 64, 4},
          .ctas = 100352,
          .loops = 7,
          .active = 4,
          .ctas_per_sm = 1792,
          .waves = 448,
          .l1 = 4855431168,
          .l2 = 1517247374,
          .dram = 156912384,
          .store = 3288334336,
          .nanoseconds = {11331694, 6732227, 3171406, 3817711, 3478064, 6264883},
          .bottleneck = Bottleneck::compute});
}

// VGG-16 conv4_2: 512 channels in and out.
TEST(HandWorked, VggConv4x2) {
  // M = 256·28·28 = 200704, N = 512, K = 512·3·3 = 4608. Tile of N = 512: 128x128x8, 2 active CTAs.
  // CTAs: ceil(512/128)·ceil(200704/128) = 4·1568 = 6272; loops: ceil(4608/8) = 576; on the busiest of 30 SMs: 210,
  // in 105 waves.
  // L1: ratio 30·1/(30-3+1) = 1.07143, MLI ceil = 2; a step 4·(128·8·2 + 128·8·2) = 16384; all 6272·576 steps
  // 59190018048.
  // L2: down 128·1.07143 = 137.143, ·8/9 = 121.905; across 7/3·28 + 7·2/3 = 70, ·(1 + 128/(28·28)) = 81.4286; sum
  // 203.333; a step 4·(203.333 + 128·8) = 4909.333; all 17735811072.
  // DRAM: 4·(256·512·30·30·4 columns + 4608·512) = 1887436800 + 9437184; stored: 4·200704·512 = 411041792.
  // A step in ns: L1 178.087, L2 140.133, DRAM 1896873984/3612672/15 = 35.004; t_GLS 342.599; t_SAS 162.025; t_CS
  // 128·128·8/202.24 = 648.101. Prologue 1030.943; 65536 bytes of output: 4369.067 to DRAM.
  // compute: 1030.943 + (648.101·576 + 4369.067)·210 = 79312864 ns.
  // latency: 1030.943 + ((342.599 + 648.101/8)·576 + 4369.067)·105 = 26079817 ns.
  Conv conv;
  conv.batch = 256;
  conv.in_channels = 512;
  conv.out_channels = 512;
  conv.axes[kHeight] = conv.axes[kWidth] = {.in = 28, .filter = 3, .pad_begin = 1, .pad_end = 1};
  expect(conv, "titan-xp-delta",
         {.tile = {128, 128, 8},
          .ctas = 6272,
          .loops = 576,
          .active = 2,
          .ctas_per_sm = 210,
          .waves = 105,
          .l1 = 59190018048,
          .l2 = 17735811072,
          .dram = 1896873984,
          .store = 411041792,
          .nanoseconds = {79312864, 20517117, 26079817, 21692022, 17344385, 5152629},
          .bottleneck = Bottleneck::compute});
}

// GoogLeNet 3a, the 3x3 branch.
TEST(HandWorked, GoogLeNet3a3x3) {
  // M = 256·28·28 = 200704, N = 128, K = 96·3·3 = 864. Tile of N = 128: 128x128x8, 2 active CTAs.
  // CTAs: ceil(128/128)·ceil(200704/128) = 1·1568 = 1568; loops: ceil(864/8) = 108; on the busiest of 30 SMs: 53, in
  // 27 waves.
  // L1: ratio 30·1/(30-3+1) = 1.07143, MLI ceil = 2; a step 4·(128·8·2 + 128·8·2) = 16384; all 1568·108 steps
  // 2774532096.
  // L2: down 128·1.07143 = 137.143, ·8/9 = 121.905; across 7/3·28 + 7·2/3 = 70, ·(1 + 128/(28·28)) = 81.4286; sum
  // 203.333; a step 4·(203.333 + 128·8) = 4909.333; all 831366144.
  // DRAM: 4·(256·96·30·30·1 columns + 864·128) = 88473600 + 442368; stored: 4·200704·128 = 102760448.
  // A step in ns: L1 178.087, L2 140.133, DRAM 88915968/169344/15 = 35.004; t_GLS 342.599; t_SAS 162.025; t_CS
  // 128·128·8/202.24 = 648.101. Prologue 1030.943; 65536 bytes of output: 4369.067 to DRAM.
  // compute: 1030.943 + (648.101·108 + 4369.067)·53 = 3942323 ns.
  // latency: 1030.943 + ((342.599 + 648.101/8)·108 + 4369.067)·27 = 1354247 ns.
  Conv conv;
  conv.batch = 256;
  conv.in_channels = 96;
  conv.out_channels = 128;
  conv.axes[kHeight] = conv.axes[kWidth] = {.in = 28, .filter = 3, .pad_begin = 1, .pad_end = 1};
  expect(conv, "titan-xp-delta",
         {.tile = {128, 128, 8},
          .ctas = 1568,
          .loops = 108,
          .active = 2,
          .ctas_per_sm = 53,
          .waves = 27,
          .l1 = 2774532096,
          .l2 = 831366144,
          .dram = 88915968,
          .store = 102760448,
          .nanoseconds = {3942323, 1160024, 1354247, 1058155, 902299, 432955},
          .bottleneck = Bottleneck::compute});
}

// GoogLeNet 4e, the 5x5 branch; requests of 32 bytes on V100.
TEST(HandWorked, GoogLeNet4e5x5) {
  // M = 256·14·14 = 50176, N = 128, K = 32·5·5 = 800. Tile of N = 128: 128x128x8, 2 active CTAs.
  // CTAs: ceil(128/128)·ceil(50176/128) = 1·392 = 392; loops: ceil(800/8) = 100; on the busiest of 84 SMs: 5, in 3
  // waves.
  // L1: ratio 18·1/(18-5+1) = 1.28571, MLI ceil(1.28571·4)/4 = 1.5; a step 4·(128·8·1.5 + 128·8·2) = 14336; all
  // 392·100 steps 561971200.
  // L2: down 128·1.28571 = 164.571, ·8/25 = 52.6629; across 7/5·14 + 7·4/5 = 25.2, ·(1 + 128/(14·14)) = 41.6571; sum
  // 94.32; a step 4·(94.32 + 128·8) = 4473.280; all 175352576.
  // DRAM: 4·(256·32·18·18·1 columns + 800·128) = 10616832 + 409600; stored: 4·50176·128 = 25690112.
  // A step in ns: L1 152.349, L2 173.399, DRAM 11026432/39200/10.119 = 27.798; t_GLS 342.290; t_SAS 185.507; t_CS
  // 128·128·8/88.32 = 1484.058. Prologue 1323.330; 65536 bytes of output: 6476.499 to DRAM.
  // compute: 1323.330 + (1484.058·100 + 6476.499)·5 = 775735 ns.
  // latency: 1323.330 + ((342.290 + 1484.058/8)·100 + 6476.499)·3 = 179092 ns.
  Conv conv;
  conv.batch = 256;
  conv.in_channels = 32;
  conv.out_channels = 128;
  conv.axes[kHeight] = conv.axes[kWidth] = {.in = 14, .filter = 5, .pad_begin = 2, .pad_end = 2};
  expect(conv, "v100-delta",
         {.tile = {128, 128, 8},
          .ctas = 392,
          .loops = 100,
          .active = 2,
          .ctas_per_sm = 5,
          .waves = 3,
          .l1 = 561971200,
          .l2 = 175352576,
          .dram = 11026432,
          .store = 25690112,
          .nanoseconds = {775735, 126459, 179092, 80980, 100725, 47605},
          .bottleneck = Bottleneck::compute});
}

// GoogLeNet 4a, the 1x1 reduction before the 5x5 branch: 16 filters, limited by DRAM.
TEST(HandWorked, GoogLeNet4a5x5Reduce) {
  // M = 256·14·14 = 50176, N = 16, K = 480·1·1 = 480. Tile of N = 16: 128x32x4, 6 active CTAs.
  // CTAs: ceil(16/32)·ceil(50176/128) = 1·392 = 392; loops: ceil(480/4) = 120; on the busiest of 30 SMs: 14, in 3
  // waves.
  // L1: ratio 14·1/(14-1+1) = 1, MLI ceil = 1; a step 4·(128·4·1 + 32·4·2.75) = 3456; all 392·120 steps 162570240.
  // L2: a step 4·(128·4 + 32·4) = 2560, all 120422400.
  // DRAM: 4·(256·480·14·14·1 columns + 480·16) = 96337920 + 30720; stored: 4·50176·16 = 3211264.
  // A step in ns: L1 37.565, L2 73.073, DRAM 96368640/47040/15 = 136.577; t_GLS 444.172; t_SAS 32.911; t_CS
  // 128·32·4/202.24 = 81.013. Prologue 526.363; 16384 bytes of output: 1092.267 to DRAM.
  // compute: 526.363 + (81.013·120 + 1092.267)·14 = 151919 ns.
  // latency: 526.363 + ((444.172 + 81.013/4)·120 + 1092.267)·3 = 170996 ns.
  Conv conv;
  conv.batch = 256;
  conv.in_channels = 480;
  conv.out_channels = 16;
  conv.axes[kHeight] = conv.axes[kWidth] = {.in = 14};
  expect(conv, "titan-xp-delta",
         {.tile = {128, 32, 4},
          .ctas = 392,
          .loops = 120,
          .active = 6,
          .ctas_per_sm = 14,
          .waves = 3,
          .l1 = 162570240,
          .l2 = 120422400,
          .dram = 96368640,
          .store = 3211264,
          .nanoseconds = {151919, 71109, 170996, 66129, 129837, 245267},
          .bottleneck = Bottleneck::dram});
}

// ResNet-152, the 1x1 convolution that halves the map: a stride of 2 leaves three quarters of the input untouched.
TEST(HandWorked, ResNetStrided1x1) {
  // M = 256·28·28 = 200704, N = 128, K = 256·1·1 = 256. Tile of N = 128: 128x128x8, 2 active CTAs.
  // CTAs: ceil(128/128)·ceil(200704/128) = 1·1568 = 1568; loops: ceil(256/8) = 32; on the busiest of 56 SMs: 28, in
  // 14 waves.
  // L1: ratio 56·2/(56-1+1) = 2, MLI ceil = 2; a step 4·(128·8·2 + 128·8·2) = 16384; all 1568·32 steps 822083584.
  // L2: a step 4·(128·8 + 128·8) = 8192, all 411041792.
  // DRAM: 4·(256·256·28·28·1 columns + 256·128) = 205520896 + 131072; stored: 4·200704·128 = 102760448.
  // A step in ns: L1 430.026, L2 331.948, DRAM 205651968/50176/9.82143 = 417.313; t_GLS 822.313; t_SAS 213.333; t_CS
  // 128·128·8/76.8 = 1706.667. Prologue 1472.428; 65536 bytes of output: 6672.756 to DRAM.
  // compute: 1472.428 + (1706.667·32 + 6672.756)·28 = 1717483 ns.
  // latency: 1472.428 + ((822.313 + 1706.667/8)·32 + 6672.756)·14 = 558861 ns.
  Conv conv;
  conv.batch = 256;
  conv.in_channels = 256;
  conv.out_channels = 128;
  conv.axes[kHeight] = conv.axes[kWidth] = {.in = 56, .stride = 2};
  expect(conv, "p100-delta",
         {.tile = {128, 128, 8},
          .ctas = 1568,
          .loops = 32,
          .active = 2,
          .ctas_per_sm = 28,
          .waves = 14,
          .l1 = 822083584,
          .l2 = 411041792,
          .dram = 205651968,
          .store = 102760448,
          .nanoseconds = {1717483, 379456, 558861, 434939, 373254, 562222},
          .bottleneck = Bottleneck::compute});
}

}  // namespace
}  // namespace rooftile
