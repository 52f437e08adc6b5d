#include "rooftile/cli/write_study.hpp"

#include <filesystem>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "rooftile/base/threads.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/cli/options.hpp"
#include "rooftile/cli/output.hpp"
#include "rooftile/cli/report_writers.hpp"
#include "rooftile/compare/study.hpp"
#include "rooftile/report/study.hpp"

namespace rooftile::cli {
namespace {

struct StudyReport {
  Study study;
  StudyResult result;
};

constexpr Writers<const StudyReport&> kStudyWriters = {
    {Format::table, [](const StudyReport& of, std::size_t width) { return study_table(of.study, of.result, width); }},
    {Format::json, [](const StudyReport& of) { return study_json(of.study, of.result); }},
    {Format::csv, [](const StudyReport& of) { return study_csv(of.study, of.result); }},
};

Result<void> write_files(const std::string& folder, const StudyReport& report) {
  TRY(prepare_folder(folder));
  const std::vector<StudyFile> files = study_files(report.study, report.result);
  for (const StudyFile& file : files)
    TRY(write_output((std::filesystem::path(folder) / file.name).string(), file.text));
  return write_output("", fmt::format("{} files in {}\n", files.size(), folder));
}

}  // namespace

Result<void> write_study(const std::string& selector, const OutputArguments& output) {
  if (is_picture(output.format) || output.format == Format::html) {
    return usage(fmt::format("a study has no {}; -o FOLDER writes its charts, --format takes table, json or csv",
                             name_of(output.format)));
  }
  auto found = find_study(selector);
  if (!found && found.error().where.empty()) found.error().where = "--study";
  Study study = TRY(std::move(found));
  StudyResult result = TRY(run_study(study, machine_threads()));
  const StudyReport report{std::move(study), std::move(result)};
  const bool folder = output.format == Format::table && !output.file.empty() && output.file != "-";
  return folder ? write_files(output.file, report) : write_report(output, kStudyWriters, report);
}

}  // namespace rooftile::cli
