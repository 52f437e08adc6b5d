// A served language model, as CSV.
#include <string>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/csv.hpp"
#include "rooftile/report/serving.hpp"

namespace rooftile {
namespace {

std::string number(double value) { return fmt::format("{:.9g}", value); }

std::string dollars(const ServingReport& report, double tokens_per_second) {
  const auto usd = report.per_million(tokens_per_second);
  return usd ? number(usd->value()) : "";
}

// What comes at a rate: "arrivals", "users", "bound".
std::string load_row(const ServingReport& report, const char* load, const std::string& batch, double rate,
                     const ServingFigures& figures) {
  const std::vector<std::string> cells = {report.model,
                                          report.setup.gpu.id,
                                          load,
                                          batch,
                                          "",
                                          number(rate),
                                          number(figures.first_token.mean.value()),
                                          number(figures.first_token.p90.value()),
                                          number(figures.each_token.mean.value()),
                                          number(figures.each_token.p90.value()),
                                          number(figures.tokens_per_second),
                                          dollars(report, figures.tokens_per_second)};
  return write_csv_row(cells);
}

}  // namespace

std::string serving_csv(const ServingReport& report) {
  std::string text =
      "model,gpu,load,batch_size,fits,rate_per_s,first_token_s,first_token_p90_s,each_token_s,each_token_p90_s,"
      "tokens_per_s,usd_per_million_tokens\n";
  for (const ServingBatch& one : report.batches) {
    const std::vector<std::string> cells = {report.model,
                                            report.setup.gpu.id,
                                            "batch",
                                            std::to_string(one.sequences),
                                            one.fits ? "true" : "false",
                                            "",
                                            number(one.prompt.time.value()),
                                            "",
                                            number(one.step.time.value()),
                                            "",
                                            number(one.tokens_per_second()),
                                            dollars(report, one.tokens_per_second())};
    text += write_csv_row(cells);
  }
  if (report.figures) {
    text += load_row(report, "arrivals", number(report.mean_batch),
                     report.rate.value_or(report.figures->requests_per_second), *report.figures);
  }
  if (report.users) {
    const ServingFigures& figures = report.users->figures;
    text += load_row(report, "users", number(report.users->mean_batch), figures.requests_per_second, figures);
  }
  if (report.knee && report.knee->rate > 0) {
    text += load_row(report, "bound", "", report.knee->rate, report.knee->figures);
  }
  return text;
}

}  // namespace rooftile
