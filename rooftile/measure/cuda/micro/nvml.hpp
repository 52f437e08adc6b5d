// NVIDIA's management library, read only: clocks, power, temperature, driver. Loaded at run time, because neither its
// header nor the library comes with every toolkit; where it is missing, only what it would tell is missing. Functions
// and numbers: NVML API Reference Guide (docs.nvidia.com/deploy/nvml-api).
#pragma once

#include <memory>
#include <string>

#include "rooftile/base/units.hpp"
#include "rooftile/measure/refused.hpp"

namespace rooftile::measure {

class Nvml {
 public:
  // For the GPU with this PCI bus id ("0000:65:00.0", as cudaDeviceGetPCIBusId tells).
  static Outcome<Nvml> open(const std::string& pci_bus_id);
  // For the GPU that CUDA uses.
  static Outcome<Nvml> open_current();

  Nvml(Nvml&&) noexcept;
  Nvml& operator=(Nvml&&) noexcept;
  ~Nvml();

  Outcome<std::string> driver_version() const;
  Outcome<Hertz> sm_clock() const;
  Outcome<Hertz> memory_clock() const;
  Outcome<Watts> power() const;
  Outcome<Watts> power_limit() const;   // that is enforced
  Outcome<double> temperature() const;  // degrees Celsius

 private:
  struct Library;
  explicit Nvml(std::unique_ptr<Library> library);

  std::unique_ptr<Library> library_;
};

}  // namespace rooftile::measure
