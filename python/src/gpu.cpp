// rooftile.Gpu: an entry of the catalogue, a file, or a changed one of these.
#include <filesystem>
#include <pybind11/stl/filesystem.h>
#include <span>
#include <string>

#include "core.hpp"
#include <fmt/format.h>

#include "rooftile/base/nearest.hpp"
#include "rooftile/explore/parameter.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/gpu/fact_unit.hpp"
#include "rooftile/report/report.hpp"

namespace py = pybind11;

namespace rooftile::python {
namespace {

// A number in base units, or a text with its unit.
double read_value(const ParameterRow& row, const py::handle& value) {
  double number = 0;
  if (py::isinstance<py::str>(value) && is_quantity(row.unit)) {
    auto read = parse_quantity(row.unit, value.cast<std::string>());
    if (!read) throw Failure{{read.error().code, read.error().message, std::string(row.name)}};
    number = *read;
  } else if (py::isinstance<py::int_>(value) || py::isinstance<py::float_>(value)) {
    number = value.cast<double>();
  } else {
    throw Failure{{ErrorCode::bad_input, fmt::format("takes a number or a text such as \"{}\"", example_of(row.unit)),
                   std::string(row.name)}};
  }
  if (!(number >= row.least && number <= row.most)) {
    throw Failure{{ErrorCode::bad_input,
                   fmt::format("{} is not between {} and {}", print_number(row.unit, number),
                               print_number(row.unit, row.least), print_number(row.unit, row.most)),
                   std::string(row.name)}};
  }
  return number;
}

Gpu replace(const Gpu& gpu, const py::kwargs& changes) {
  DesignPoint point = design_of(gpu);
  for (const auto& [key, value] : changes) {
    const auto name = key.cast<std::string>();
    const auto parameter = find_parameter(name);
    if (!parameter || row_of(*parameter).write == nullptr) {
      throw Failure{{ErrorCode::not_found,
                     fmt::format("a GPU has no '{}' to replace{}", name, did_you_mean(name, parameter_names())),
                     gpu.id}};
    }
    at(point, *parameter) = read_value(row_of(*parameter), value);
  }
  Gpu changed = with_design(gpu, point);
  if (!changes.empty() && !changed.id.ends_with("-changed")) changed.id += "-changed";
  return changed;
}

Gpu load(const std::filesystem::path& file) {
  const std::string path = file.string();
  if (!path.ends_with(".toml")) throw Failure{{ErrorCode::usage, "a GPU's file ends in .toml", path}};
  return value_of(find_gpu(path));
}

py::list gpus() {
  py::list ids;
  for (const std::string& id : gpu_ids()) ids.append(id);
  return ids;
}

}  // namespace

Gpu gpu_of(const py::object& gpu) {
  if (py::isinstance<Gpu>(gpu)) return gpu.cast<Gpu>();
  if (py::hasattr(gpu, "__fspath__")) return load(gpu.cast<std::filesystem::path>());
  if (!py::isinstance<py::str>(gpu)) throw Failure{{ErrorCode::usage, "takes an id, a .toml file or a Gpu", "gpu"}};
  return value_of(find_gpu(gpu.cast<std::string>()));
}

void add_gpu(py::module_& module) {
  py::class_<Gpu>(module, "Gpu")
      .def_static(
          "find", [](const std::string& selector) { return value_of(find_gpu(selector)); }, py::arg("selector"))
      .def_static("load", &load, py::arg("path"))
      .def("replace", &replace)
      .def_property_readonly("id", [](const Gpu& gpu) { return gpu.id; })
      .def_property_readonly("name", [](const Gpu& gpu) { return gpu.name; })
      .def_property_readonly("memory", [](const Gpu& gpu) { return gpu.level("DRAM").capacity.value(); })
      .def("json",
           [](const Gpu& gpu) {
             return gpus_json({&gpu, 1});
           })
      .def("to_dict",
           [](const Gpu& gpu) {
             const py::object read = py::module_::import("json").attr("loads")(gpus_json({&gpu, 1}));
             return py::isinstance<py::list>(read) ? py::object(read[py::int_(0)]) : read;
           })
      .def("__eq__",
           [](const Gpu& a, const py::object& b) {
             return py::isinstance<Gpu>(b) && gpus_json({&a, 1}) == gpus_json(std::span(&b.cast<const Gpu&>(), 1));
           })
      .def("__repr__", [](const Gpu& gpu) { return "<Gpu " + gpu.id + ">"; });
  module.def("gpus", &gpus, "The ids of the catalogue.");
}

}  // namespace rooftile::python
