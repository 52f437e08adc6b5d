// Predictions, by the options of the command line.
#include "rooftile/predict/predict.hpp"

#include <memory>
#include <optional>
#include <pybind11/stl.h>
#include <string>
#include <utility>
#include <vector>

#include "core.hpp"

#include "rooftile/cli/largest_batch.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/prediction_options.hpp"
#include "rooftile/ingest/workload_json.hpp"
#include "rooftile/report/memory_fit.hpp"
#include "rooftile/report/page/page.hpp"
#include "rooftile/report/report.hpp"
#include "rooftile/report/roofline.hpp"
#include "rooftile/roofline/from_prediction.hpp"

namespace py = pybind11;

namespace rooftile::python {
namespace {

struct Predicted {
  Prediction prediction;
  Gpu gpu;
  std::optional<Interval> interval = {};
};

// What stands on the command line behind `rooftile predict MODEL --gpu …`.
cli::PredictionArguments parsed(std::vector<std::string> options) {
  CLI::App app;
  cli::PredictionArguments arguments;
  cli::add_prediction_options(&app, arguments, cli::Fitted::no, cli::Batch::number_or_max);
  std::reverse(options.begin(), options.end());  // as CLI11 takes them
  try {
    app.parse(std::move(options));
  } catch (const cli::OptionError& wrong) {
    throw Failure{wrong.error};
  } catch (const CLI::ParseError& wrong) {
    throw Failure{{ErrorCode::usage, wrong.what(), ""}};
  }
  value_of(cli::complete(arguments));
  return arguments;
}

// A model that is named, or the text of a workload.
struct Model {
  std::string name;
  std::optional<std::string> text;
};

std::vector<Predicted> predictions(const Model& model, const std::vector<Gpu>& gpus,
                                   const std::vector<std::string>& given) {
  const cli::PredictionArguments arguments = parsed(given);
  PredictOptions options = cli::predict_options(arguments);
  value_of(check(options));
  Workload workload;
  if (model.text) {
    if (arguments.largest_batch) {
      throw Failure{
          {ErrorCode::usage, "the largest batch is of a model's name or file; see max_batch()", "batch_size"}};
    }
    workload = value_of(cli::as_network(value_of(parse_workload_json(*model.text, model.name, arguments.batch_size)),
                                        arguments, options));
  } else {
    workload = value_of(cli::load_network(model.name, arguments, options));
  }
  const Phase phase = cli::phase_of(arguments, workload);
  std::vector<Predicted> results;
  for (const Gpu& gpu : gpus) {
    if (arguments.largest_batch) {
      workload = value_of(cli::load_largest_batch(model.name, cli::model_options(arguments), options, phase, gpu));
    }
    results.push_back({value_of(predict(workload, gpu, options, phase)), gpu});
    results.back().interval = interval_of(results.back().prediction);
  }
  return results;
}

py::object seconds(const std::optional<Seconds>& time) {
  return time ? py::object(py::float_(time->value())) : py::object(py::none());
}

py::dict phases(const Predicted& of) {
  py::dict times;
  if (!of.prediction.phases) return times;
  times["forward"] = of.prediction.phases->forward.value();
  times["backward"] = of.prediction.phases->backward.value();
  times["update"] = of.prediction.phases->update.value();
  return times;
}

py::dict memory(const Predicted& of) {
  const MemoryUse& use = of.prediction.memory;
  py::dict bytes;
  for (const auto& [name, value] : {std::pair("weights", use.weights), std::pair("gradients", use.gradients),
                                    std::pair("optimizer", use.optimizer), std::pair("activations", use.activations),
                                    std::pair("workspace", use.workspace), std::pair("total", use.total())}) {
    bytes[name] = static_cast<std::int64_t>(value.value());
  }
  return bytes;
}

// As `rooftile roofline` draws it where no option says otherwise.
std::string roofline_picture(const Predicted& of) {
  return roofline_svg(roofline::view_of(of.prediction, of.gpu, roofline::roof_of(of.gpu)), RooflineChart::combined);
}

std::vector<Predicted> predict_named(const std::string& model, const std::optional<std::string>& text,
                                     const py::list& gpus, const std::vector<std::string>& options) {
  std::vector<Gpu> boards;
  for (const auto& gpu : gpus) boards.push_back(gpu_of(py::reinterpret_borrow<py::object>(gpu)));
  const py::gil_scoped_release released;
  return predictions({model, text}, boards, options);
}

}  // namespace

void add_predict(py::module_& module) {
  py::class_<Predicted, std::shared_ptr<Predicted>>(module, "Prediction")
      .def_property_readonly("model", [](const Predicted& of) { return of.prediction.model; })
      .def_property_readonly("gpu", [](const Predicted& of) { return of.prediction.gpu; })
      .def_property_readonly("batch_size", [](const Predicted& of) { return of.prediction.batch_size; })
      .def_property_readonly("precision", [](const Predicted& of) { return of.prediction.precision_name(); })
      .def_property_readonly("time", [](const Predicted& of) { return of.prediction.time.value(); })
      .def_property_readonly(
          "low",
          [](const Predicted& of) { return seconds(of.interval ? std::optional(of.interval->low) : std::nullopt); })
      .def_property_readonly(
          "high",
          [](const Predicted& of) { return seconds(of.interval ? std::optional(of.interval->high) : std::nullopt); })
      .def_property_readonly("throughput", [](const Predicted& of) { return of.prediction.throughput_per_second(); })
      .def_property_readonly("phases", &phases)
      .def_property_readonly("memory", &memory)
      .def_property_readonly("fits", [](const Predicted& of) { return fits(of.prediction.memory, of.gpu); })
      .def("table",
           [](const Predicted& of, std::size_t width, bool all_layers) {
             return table_report(of.prediction, {.all_layers = all_layers, .gpu = &of.gpu}, width);
           })
      .def("json",
           [](const Predicted& of) {
             return json_report({&of.prediction, 1}, {&of.gpu, 1});
           })
      .def("csv",
           [](const Predicted& of) {
             return csv_report({&of.prediction, 1});
           })
      .def("svg", &roofline_picture)
      .def("html", [](const Predicted& of) {
        return prediction_page({&of.prediction, 1}, {&of.gpu, 1});
      });
  module.def("predict", &predict_named, py::arg("model"), py::arg("text"), py::arg("gpus"), py::arg("options"));
}

}  // namespace rooftile::python
