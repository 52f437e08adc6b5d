// Reading one GPU or architecture file: TOML in, checked facts out. What a file must hold is decided later, when
// the facts of its architecture are known too (derive.hpp, catalogue.hpp).
#pragma once

#include <string>
#include <string_view>

#include "rooftile/base/error.hpp"
#include "rooftile/gpu/fact_table.hpp"

namespace rooftile {

struct GpuFile {
  std::string id;
  std::string name;
  std::string vendor;
  std::string architecture;  // the id of an architecture file: "pascal-gp10x"
  std::string compute_capability;
  std::string device_name;  // what the driver calls it, where the id's words do not tell
  std::string note;
  std::string base;        // the GPU whose numbers this one has where it gives none
  std::string base_place;  // where the file says so, for errors
  FactTable facts;
};

// `where` names the file in errors; line and column are added to it. Errors: text that is not TOML, an unknown key
// or source (with the nearest known one), a number without its unit or out of range, a level given twice. `unsaid` is
// the kind of a number whose file does not say it: `own` for a file of a user's, where numbers need no source.
Result<GpuFile> read_gpu_file(std::string_view toml, std::string_view where, FactKind unsaid = FactKind::vendor);

}  // namespace rooftile
