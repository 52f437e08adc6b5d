#include "rooftile/cli/fit_report.hpp"

#include <array>
#include <filesystem>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/picture.hpp"
#include "rooftile/cli/values.hpp"

namespace rooftile::cli {

Result<Format> fit_format(const FitModelArguments& arguments) {
  return parse_format(arguments.format, arguments.compare ? arguments.output : "", {Format::table, Format::json});
}

Result<void> check_fit_places(const FitModelArguments& arguments) {
  for (const auto& [option, path] :
       {std::pair("--plot", arguments.plot), std::pair("--residuals", arguments.residuals)}) {
    TRY(picture_format(option, path));
  }
  struct Place {
    const char* option;
    std::filesystem::path path;
  };
  const std::array<Place, 3> places = {Place{"-o", arguments.output}, Place{"--plot", arguments.plot},
                                       Place{"--residuals", arguments.residuals}};
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (std::size_t j = i + 1; j < places.size(); ++j) {
      const std::filesystem::path& path = places[i].path;
      if (path.empty() || path.lexically_normal() != places[j].path.lexically_normal()) continue;
      return usage(fmt::format("{} and {} both write to {}; give each a place of its own", places[i].option,
                               places[j].option, path == "-" ? "standard output" : one_line(path.string(), 80)));
    }
  }
  return {};
}

Result<void> draw_fit(const FitModelArguments& arguments, const FittedPoints& points) {
  if (!arguments.plot.empty()) {
    if (auto drawn = write_picture(arguments.plot, actual_versus_fitted_plot(points)); !drawn) return drawn;
  }
  if (arguments.residuals.empty()) return {};
  return write_picture(arguments.residuals, residual_plot(points));
}

}  // namespace rooftile::cli
