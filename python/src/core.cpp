#include "core.hpp"

#include <exception>
#include <string>

#include "rooftile/cli/version.hpp"
#include "rooftile/ingest/model.hpp"

namespace py = pybind11;

namespace rooftile::python {
namespace {

py::list models() {
  py::list names;
  for (const ModelName& model : model_names()) names.append(py::make_tuple(model.name, model.description));
  return names;
}

}  // namespace
}  // namespace rooftile::python

PYBIND11_MODULE(_core, module) {
  using namespace rooftile::python;
  static py::exception<Failure> error(module, "Error");
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Failure& failure) {
      error(failure.error.text().c_str());
    }
  });
  module.def("models", &models, "The networks that are built in: (name, description) of each.");
  module.attr("version") = rooftile::cli::version();
  add_gpu(module);
  add_predict(module);
}
