#include "rooftile/measure/cuda/micro/nvml.hpp"

#include <array>
#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <utility>

#include "rooftile/measure/cuda/check.hpp"

namespace rooftile::measure {
namespace {

using Return = int;  // nvmlReturn_t; 0 is success
using Handle = void*;

constexpr int clock_sm = 1;  // nvmlClockType_t
constexpr int clock_memory = 2;
constexpr int sensor_gpu = 0;  // nvmlTemperatureSensors_t
constexpr unsigned version_length = 96;

}  // namespace

struct Nvml::Library {
  void* file = nullptr;
  bool running = false;
  Handle device = nullptr;
  Return (*init)() = nullptr;
  Return (*shutdown)() = nullptr;
  const char* (*error)(Return) = nullptr;
  Return (*handle)(const char*, Handle*) = nullptr;
  Return (*driver)(char*, unsigned) = nullptr;
  Return (*clock)(Handle, int, unsigned*) = nullptr;
  Return (*power)(Handle, unsigned*) = nullptr;
  Return (*power_limit)(Handle, unsigned*) = nullptr;
  Return (*temperature)(Handle, int, unsigned*) = nullptr;

  Library() = default;
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
  ~Library() {
    if (running) {
      shutdown();
    }
    if (file != nullptr) {
      dlclose(file);
    }
  }

  template <class Function>
  bool find(const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(file, name));
    return function != nullptr;
  }

  // False where a function that all need is missing; of the others each is missing for itself.
  bool find_all() {
    find("nvmlSystemGetDriverVersion", driver);
    find("nvmlDeviceGetClockInfo", clock);
    find("nvmlDeviceGetPowerUsage", power);
    find("nvmlDeviceGetEnforcedPowerLimit", power_limit);
    find("nvmlDeviceGetTemperature", temperature);
    return find("nvmlInit_v2", init) && find("nvmlShutdown", shutdown) && find("nvmlErrorString", error) &&
           find("nvmlDeviceGetHandleByPciBusId_v2", handle);
  }

  // Calls a function that may be missing.
  template <class... Parameters, class... Arguments>
  Outcome<void> ask(const std::string& doing, Return (*function)(Parameters...), Arguments... arguments) const {
    if (function == nullptr) {
      return tl::unexpected(Refused{Refusal::unsupported, "NVML, " + doing + ": this driver's has no such function"});
    }
    return check(function(arguments...), doing);
  }

  Outcome<void> check(Return code, const std::string& doing) const {
    if (code == 0) {
      return {};
    }
    return tl::unexpected(Refused{Refusal::unsupported, "NVML, " + doing + ": " + error(code)});
  }
};

Nvml::Nvml(std::unique_ptr<Library> library) : library_(std::move(library)) {}
Nvml::Nvml(Nvml&&) noexcept = default;
Nvml& Nvml::operator=(Nvml&&) noexcept = default;
Nvml::~Nvml() = default;

Outcome<Nvml> Nvml::open(const std::string& pci_bus_id) {
  auto library = std::make_unique<Library>();
  library->file = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (library->file == nullptr) {
    return tl::unexpected(Refused{Refusal::unsupported, "NVML (libnvidia-ml.so.1) is not on this machine"});
  }
  if (!library->find_all()) {
    return tl::unexpected(
        Refused{Refusal::unsupported, "NVML (libnvidia-ml.so.1) lacks a function: the driver is too old"});
  }
  if (auto done = library->check(library->init(), "starting"); !done) {
    return tl::unexpected(done.error());
  }
  library->running = true;
  if (auto done = library->check(library->handle(pci_bus_id.c_str(), &library->device), "looking for the GPU"); !done) {
    return tl::unexpected(done.error());
  }
  return Nvml(std::move(library));
}

Outcome<Nvml> Nvml::open_current() {
  int device = 0;
  std::array<char, 64> bus_id{};
  if (auto done = check(cudaGetDevice(&device), "asking for the GPU in use"); !done) {
    return tl::unexpected(done.error());
  }
  if (auto done = check(cudaDeviceGetPCIBusId(bus_id.data(), static_cast<int>(bus_id.size()), device),
                        "asking for the GPU's place");
      !done) {
    return tl::unexpected(done.error());
  }
  return open(bus_id.data());
}

Outcome<std::string> Nvml::driver_version() const {
  std::array<char, version_length> text{};
  return library_->ask("driver version", library_->driver, text.data(), version_length).map([&] {
    return std::string(text.data());
  });
}

Outcome<Hertz> Nvml::sm_clock() const {
  unsigned megahertz = 0;
  return library_->ask("SM clock", library_->clock, library_->device, clock_sm, &megahertz).map([&] {
    return Hertz(megahertz * 1e6);
  });
}

Outcome<Hertz> Nvml::memory_clock() const {
  unsigned megahertz = 0;
  return library_->ask("memory clock", library_->clock, library_->device, clock_memory, &megahertz).map([&] {
    return Hertz(megahertz * 1e6);
  });
}

Outcome<Watts> Nvml::power() const {
  unsigned milliwatts = 0;
  return library_->ask("power", library_->power, library_->device, &milliwatts).map([&] {
    return Watts(milliwatts * 1e-3);
  });
}

Outcome<Watts> Nvml::power_limit() const {
  unsigned milliwatts = 0;
  return library_->ask("power limit", library_->power_limit, library_->device, &milliwatts).map([&] {
    return Watts(milliwatts * 1e-3);
  });
}

Outcome<double> Nvml::temperature() const {
  unsigned celsius = 0;
  return library_->ask("temperature", library_->temperature, library_->device, sensor_gpu, &celsius).map([&] {
    return static_cast<double>(celsius);
  });
}

}  // namespace rooftile::measure
