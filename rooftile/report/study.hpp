// A study of applications on GPUs: its table, its files (docs/compare.md).
#pragma once

#include <string>
#include <vector>

#include "rooftile/compare/study.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {

std::string study_table(const Study& study, const StudyResult& result, std::size_t width = kAnyWidth);

struct StudyFile {
  std::string name, what, text;
};
// runs.csv, the charts, and index.md, which says what they are.
std::vector<StudyFile> study_files(const Study& study, const StudyResult& result);

}  // namespace rooftile
