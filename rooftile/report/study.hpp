// A study of applications on GPUs: its table, its files (docs/compare.md).
#pragma once

#include <string>
#include <vector>

#include "rooftile/compare/study.hpp"
#include "rooftile/report/text.hpp"

namespace rooftile {

// What each GPU gives, and below the prices that count with their sources and dates.
std::string study_table(const Study& study, const StudyResult& result, std::size_t width = kAnyWidth);
std::string study_csv(const Study& study, const StudyResult& result);
// "rooftile/study/1".
std::string study_json(const Study& study, const StudyResult& result);

// Where the price of a GPU, and of the host, is from: "launch price of the catalogue, 2017-04-06"; empty: not known.
std::string price_source_of(const StudyGpu& gpu);
std::string price_source_of(const HostMachine& host);

struct StudyFile {
  std::string name, what, text;
};
// runs.csv, runs.json, the charts, and index.md, which says what they are.
std::vector<StudyFile> study_files(const Study& study, const StudyResult& result);

}  // namespace rooftile
