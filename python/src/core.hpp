// The native part of the Python package: what each of its files adds to the module _core.
#pragma once

#include <pybind11/pybind11.h>

#include "rooftile/base/error.hpp"
#include "rooftile/gpu/gpu.hpp"

namespace rooftile::python {

void add_gpu(pybind11::module_& module);
void add_predict(pybind11::module_& module);

// An error of the library as an exception, which the module turns into rooftile.Error.
struct Failure {
  Error error;
};

template <class T>
T value_of(Result<T> result) {
  if (!result) throw Failure{result.error()};
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

// Of a selector or a Gpu object.
Gpu gpu_of(const pybind11::object& gpu);

}  // namespace rooftile::python
