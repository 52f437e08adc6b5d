// Applications on GPUs beside each other, as the study of training bottlenecks of the University of British Columbia
// compared them: throughput, what a dollar buys, what is busy, what limits.
//
//     const Study study = find_study("ubc").value();
//     const StudyResult result = run_study(study, 1).value();
//     assert(result.runs.size() == study.applications.size() * study.gpus.size());
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/gpu/gpu.hpp"
#include "rooftile/hosts/host_machine.hpp"
#include "rooftile/timing/estimate.hpp"
#include "rooftile/workload/execution.hpp"

namespace rooftile {

struct StudyGpu {
  Gpu gpu;
  std::optional<Dollars> price;
  std::string price_source, price_note;
};

struct Application {
  std::string name, label;  // "translation", "Transformer"
  std::int64_t batch = 1;
  struct Part {
    std::string network;  // a model
    double times = 1;     // in a step
  };
  std::vector<Part> parts;
  bool unrolled_cells = false;
};

struct Study {
  std::string id, title;
  HostMachine host;
  RunPrecision precision;
  std::vector<StudyGpu> gpus;
  std::vector<Application> applications;
};

std::vector<std::string> study_ids();  // that ship with the program

// Reads the text of a study file; `where` names it in errors. Errors: bad TOML, an unknown key, host, GPU or precision,
// numbers of networks and times that differ; each with line and column.
Result<Study> parse_study_file(std::string_view toml, std::string_view where);
// An id, or a path ending in ".toml".
Result<Study> find_study(std::string_view selector);

// An application on a GPU, in training. Shares are of the time of a step, as TBD defines them (Zhu et al., IISWC 2018,
// section 3.4.2).
struct StudyRun {
  std::size_t application = 0, gpu = 0;
  Seconds step;
  double samples_per_second = 0;
  double relative = 1;            // to the slowest GPU
  std::optional<double> per_usd;  // samples a second and 1,000 USD of GPU and host; none: a price is not known
  double gpu_busy = 0;            // share of the time
  double peak_share = 0;          // of the peak rate, while the GPU works
  double cpu_busy = 0;            // of all cores
  double waiting = 0;             // of the GPU for the host: launches and input
  TimeBounds by = {};             // of the GPU's time, what limits it
};

struct StudyResult {
  std::vector<StudyRun> runs;  // by application and GPU
};

// Errors: those of the models, a GPU that lacks the precision.
Result<StudyResult> run_study(const Study& study, unsigned threads);

}  // namespace rooftile
