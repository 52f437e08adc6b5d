// A forward pass of a transformer over tensor and pipeline parallel GPUs: what serving it consists of.
//
//     const Transformer llama = find_transformer("llama2_70b").value().value();
//     Parallelism way;
//     way.tp = 8;
//     const ForwardRun step = {.batch = 64, .seq_len = 1, .context = 1024};  // one token more for each of 64
//     const ForwardTime time = parallel_forward(llama, step, way, cluster, gpu, options).value();
#pragma once

#include <cstdint>
#include <optional>

#include "rooftile/base/error.hpp"
#include "rooftile/execution/parallelism.hpp"
#include "rooftile/fabric/gpu_cluster.hpp"
#include "rooftile/predict/predict.hpp"
#include "rooftile/zoo/transformer.hpp"

namespace rooftile {

struct ForwardRun {
  std::int64_t batch = 1;                    // sequences of each data parallel replica
  std::int64_t seq_len = 1;                  // positions of each that go through the network
  std::optional<std::int64_t> context = {};  // positions in the cache before these
  bool stages_full = false;                  // the next pass follows before this one has left all pipeline stages
};

struct ForwardTime {
  Seconds time;                   // until the last stage has ended
  std::optional<Interval> range;  // 90 %; none where the kernels have none
  Seconds exchanging;             // of it, between the GPUs of a stage
  Seconds sending;                // of it, from stage to stage
  double launches = 0;            // on all stages together
  Bytes weights;                  // of a GPU
  Bytes cache;                    // of a GPU, all sequences of its replica
};

// A shape that passed check(), of one form of layer (else all of them are predicted); tp, pp, dp, ep and the dispatcher
// count (served_layers.hpp). Stages work one after another on parts of the batch, as many as there are stages
// (FasterTransformer: fewer or more): the time is that of a part through all of them, and, unless they are kept full,
// of the others through the last. Errors: those of served_slice(), build() and predict().
Result<ForwardTime> parallel_forward(const Transformer& shape, const ForwardRun& run, const Parallelism& way,
                                     const GpuCluster& cluster, const Gpu& gpu, const PredictOptions& options);

}  // namespace rooftile
