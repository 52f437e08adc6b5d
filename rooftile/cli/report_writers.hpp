// What a command can write of its report: one row a format, the first of which is the default.
//
//     constexpr Writers<const CostReport&> kCostWriters = {
//         {Format::table, cost_table}, {Format::json, cost_json}, {Format::csv, cost_csv}};
//
// add_output_options() offers those formats, write_report() calls the row's function. A chart, Format::svg, is also
// offered as PNG and PDF.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

#include "rooftile/base/error.hpp"
#include "rooftile/cli/format.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/output_options.hpp"
#include "rooftile/cli/page_width.hpp"
#include "rooftile/cli/picture.hpp"

namespace rooftile::cli {

// Report is the type of the functions' parameter, such as const CostReport& or std::span<const Gpu>.
template <class Report>
class Writer {
 public:
  constexpr Writer(Format format, std::string (*write)(Report)) : format_(format), text_(write) {}
  // Of tables: at most `width` columns wide, where that can be.
  constexpr Writer(Format format, std::string (*write)(Report, std::size_t width)) : format_(format), table_(write) {}

  Format kind() const { return format_; }
  std::string text(Report report, std::size_t width) const { return table_ ? table_(report, width) : text_(report); }

 private:
  Format format_;
  std::string (*text_)(Report) = nullptr;
  std::string (*table_)(Report, std::size_t width) = nullptr;
};

template <class Report>
using Writers = std::initializer_list<Writer<Report>>;

// --format and -o of a command.
template <class Report>
void add_output_options(CLI::App* app, OutputArguments& output, const Writers<Report>& writers) {
  std::vector<Format> formats;
  for (const Writer<Report>& writer : writers) {
    formats.push_back(writer.kind());
    if (writer.kind() == Format::svg) formats.insert(formats.end(), {Format::png, Format::pdf});
  }
  add_output_options(app, output, formats);
}

// Writes the report in the format asked for, which must be one of those that the writers offer.
template <class Report>
Result<void> write_report(const OutputArguments& output, const Writers<Report>& writers,
                          std::type_identity_t<Report> report) {
  const Format format = is_picture(output.format) ? Format::svg : output.format;
  const auto writer =
      std::find_if(writers.begin(), writers.end(), [&](const Writer<Report>& one) { return one.kind() == format; });
  const std::string text = writer->text(report, page_width(output.file));
  return is_picture(output.format) ? write_picture(output.file, text, output.format) : write_output(output.file, text);
}

}  // namespace rooftile::cli
