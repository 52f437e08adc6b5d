// Feeds arbitrary text to the reader of fitted models. It must answer with a model that can be applied and written, or
// with an error of one line.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "one_line_error.hpp"

#include "rooftile/regression/fitted_json.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooftile::regression;
  const auto model = parse_fitted_json({reinterpret_cast<const char*>(data), size}, "fuzz");
  if (!model) {
    if (!is_one_line_error(model.error())) std::abort();
    return 0;
  }
  for (const FittedEquation& equation : model->equations) {
    NumberTable table;
    table.names = equation.columns();
    table.values = Matrix(2, table.names.size(), 3);
    const auto predicted = predict(equation, table);
    if (!predicted && !is_one_line_error(predicted.error())) std::abort();
  }
  const auto again = parse_fitted_json(fitted_json(*model), "again");
  if (!again || *again != *model) std::abort();
  return 0;
}
