// The evaluation's tables and figures as files: CSV, SVG, and an index in Markdown.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rooftile/evaluation/figure.hpp"

namespace rooftile {

std::string figure_csv(const FigureTable& table);
std::string figure_svg(const Plot& plot);

// A section of the index: what one name of the evaluation left behind.
struct EvaluationSection {
  std::string name;  // "fig11"
  std::string title;
  std::vector<std::pair<std::string, std::string>> files;  // name and what is in it
};

// Files by section, one line each. `setup` says what all were made with.
std::string evaluation_index(std::string_view setup, const std::vector<EvaluationSection>& sections);

}  // namespace rooftile
