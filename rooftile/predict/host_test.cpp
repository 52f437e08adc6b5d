#include "rooftile/predict/host.hpp"

#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "rooftile/gpu/catalogue.hpp"

namespace rooftile {
namespace {

constexpr double kMicro = 1e-6;

LayerEstimate layer(double micros, Pass pass = Pass::fwd) {
  LayerEstimate one;
  one.op = "conv";
  one.pass = pass;
  one.time = Seconds(micros * kMicro);
  return one;
}

HostCosts costs() {
  HostCosts costs;
  costs.forward = Seconds(10 * kMicro);
  costs.gradient = Seconds(20 * kMicro);
  costs.update = Seconds(5 * kMicro);
  return costs;
}

Seconds queue_time(std::span<const LayerEstimate> layers, const HostCosts& costs) {
  return queue_times(layers, costs, {})[0];
}

double micros(Seconds time) { return time.value() / kMicro; }

// Of a GPU whose calibration knows one host.
struct KnownHost : testing::Test {
  Calibration calibration;
  PredictOptions options;
  Gpu gpu = find_gpu("h100-sxm5-80gb").value();

  KnownHost() {
    calibration.hosts.emplace_back(costs());
    options.calibration = &calibration;
  }
};

TEST(Host, ALongKernelHidesTheIssueOfTheNext) {
  const std::vector<LayerEstimate> layers = {layer(100), layer(3), layer(3)};
  EXPECT_NEAR(micros(queue_time(layers, costs())), 10 + 100 + 3 + 3, 1e-9);
}

TEST(Host, ShortKernelsWaitForTheHost) {
  const std::vector<LayerEstimate> layers = {layer(3), layer(3), layer(3, Pass::bwd_data)};
  EXPECT_NEAR(micros(queue_time(layers, costs())), 10 + 10 + 20 + 3, 1e-9);
  const HostShare share = host_share(layers, costs());
  EXPECT_NEAR(micros(share.gpu_busy), 9, 1e-9);
  EXPECT_NEAR(micros(share.waiting), 34, 1e-9);
  EXPECT_NEAR(micros(share.issuing), 40, 1e-9);
}

TEST(Host, WhatLaunchesNothingCostsNothing) {
  LayerEstimate view;
  view.op = "view";
  view.kernels = 0;
  EXPECT_EQ(queue_time(std::vector{view}, costs()), Seconds(0));
}

TEST(Host, AServerPaysForARequestForEachPassAndForEachSequence) {
  Calibration calibration;
  calibration.hosts.emplace_back();
  HostCosts& host = calibration.hosts.back();
  host.execution = Execution::engine;
  host.request = Seconds(2000 * kMicro);
  host.sequence = Seconds(70 * kMicro);
  host.step = Seconds(900 * kMicro);
  PredictOptions options;
  options.execution = Execution::engine;
  options.calibration = &calibration;
  EXPECT_NEAR(micros(serving_time(options, true, 4)), 2000 + 900 + 4 * 70, 1e-9);
  EXPECT_NEAR(micros(serving_time(options, false, 64)), 64 * 70 + 900, 1e-9);
  options.host = false;
  EXPECT_EQ(serving_time(options, true, 4), Seconds(0));
}

TEST_F(KnownHost, IsAServerOrRatedUnlessItIsTold) {
  const auto server = assumed_host(options, gpu);
  ASSERT_TRUE(server);
  EXPECT_FALSE(server->single_thread);
  EXPECT_EQ(note_of(*server), "a server as host; --host states another");
  gpu.host_single_thread = 2464;
  EXPECT_EQ(assumed_host(options, gpu)->single_thread, 2464);
  EXPECT_EQ(note_of(*assumed_host(options, gpu)),
            "a host whose processor PassMark rates at 2464 (single thread); --host states another");
  Feeding told;
  options.feeding = &told;
  EXPECT_FALSE(assumed_host(options, gpu));
  options.feeding = nullptr;
  options.host = false;
  EXPECT_FALSE(assumed_host(options, gpu)) << "none counts";
}

TEST_F(KnownHost, AFasterProcessorIssuesFasterThanAServer) {
  EXPECT_NEAR(micros(host_costs(options, gpu)->forward), 10, 1e-9);
  gpu.host_single_thread = 4 * 2140;  // to the power of 1.5
  const HostCosts desktop = host_costs(options, gpu).value();
  EXPECT_NEAR(micros(desktop.forward), 10. / 8, 1e-9);
  EXPECT_NEAR(micros(desktop.gradient), 20. / 8, 1e-9);
  EXPECT_NEAR(micros(desktop.dispatch), 8. / 8, 1e-9);
  calibration.hosts.back().any_machine = true;
  EXPECT_NEAR(micros(host_costs(options, gpu)->forward), 10. / 8, 1e-9);
  options.framework = "Torch7";  // of some machine of its time
  EXPECT_NEAR(micros(host_costs(options, gpu)->forward), 10, 1e-9);
  gpu.host_is_own = true;
  EXPECT_NEAR(micros(host_costs(options, gpu)->forward), 10. / 8, 1e-9) << "no other processor can be beside the GPU";
  EXPECT_FALSE(assumed_host(options, gpu));
  gpu.host_is_own = false;
  options.host_single_thread = 2140. / 4;
  EXPECT_NEAR(micros(host_costs(options, gpu)->forward), 10. * 8, 1e-9) << "the row's, whatever the GPU";
  EXPECT_FALSE(assumed_host(options, gpu));
  calibration.hosts.back().any_machine = false;
  Feeding told;
  told.host.single_thread = 2140;
  options.feeding = &told;
  EXPECT_NEAR(micros(host_costs(options, gpu)->forward), 10, 1e-9) << "a host that is told is the one that counts";
  told.host.launch_ratio = 3;
  EXPECT_NEAR(micros(host_costs(options, gpu)->forward), 30, 1e-9);
}

TEST(Host, IsFoundByTheLongestBeginningOfAName) {
  std::vector<HostCosts> hosts(4);
  hosts[1].framework = "PyTorch";
  hosts[2].framework = "PyTorch CUDA 11";
  hosts[3].framework = "PyTorch";
  hosts[3].execution = Execution::compiled;
  EXPECT_EQ(find_host(hosts, "TensorFlow 2", Execution::eager), &hosts[0]);
  EXPECT_EQ(find_host(hosts, "PyTorch 2.4", Execution::eager), &hosts[1]);
  EXPECT_EQ(find_host(hosts, "PyTorch CUDA 11.1", Execution::eager), &hosts[2]);
  EXPECT_EQ(find_host(hosts, "PyTorch 2.4", Execution::compiled), &hosts[3]);
  EXPECT_EQ(find_host(hosts, "PyTorch 2.4", Execution::engine), nullptr);
}

}  // namespace
}  // namespace rooftile
