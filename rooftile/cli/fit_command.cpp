// rooftile fit: models of times from measurements.
#include "rooftile/cli/options.hpp"

namespace rooftile::cli {

void add_fit(CommandList& commands) {
  CLI::App* fit = commands.add_parent("fit", "Fit constants or a timing model to measurements",
                                      "rooftile fit constants measured.csv -o constants.toml");
  add_fit_constants(commands, fit);
  add_fit_factors(commands, fit);
  add_fit_layers(commands, fit);
  add_fit_network(commands, fit);
  add_fit_grey_box(commands, fit);
}

}  // namespace rooftile::cli
