#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/toml_choice.hpp"
#include "rooftile/base/toml_reader.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/base/units_text.hpp"
#include "rooftile/compare/embedded.hpp"
#include "rooftile/compare/study.hpp"
#include "rooftile/gpu/catalogue.hpp"
#include "rooftile/workload/workload.hpp"

namespace rooftile {
namespace {

constexpr std::int64_t kMostTimes = 1000;
constexpr double kCheapest = 0.01, kDearest = 1e9;  // of a board, in USD

class StudyReader : TomlReader {
 public:
  explicit StudyReader(std::string_view where) : TomlReader(where), where_(where) {}

  Result<Study> read(const toml::table& root) {
    TRY(read_sources(root));
    Study study;
    for (auto&& [key, node] : root) {
      if (key.str() == "id") {
        study.id = TRY(words(node, "id"));
      } else if (key.str() == "title") {
        study.title = TRY(words(node, "title"));
      } else if (key.str() == "host") {
        const auto host = TRY(words(node, "host"));
        study.host = TRY(found(node, find_host_machine(host)));
      } else if (key.str() == "precision") {
        study.precision = TRY(precision(node));
      } else if (key.str() == "gpu") {
        TRY(each(node, "gpu", [&](const toml::table& row) { return add_gpu(row, study); }));
      } else if (key.str() == "application") {
        TRY(each(node, "application", [&](const toml::table& row) { return add_application(row, study); }));
      } else if (key.str() != "sources") {
        return unknown(key, "", {"id", "title", "host", "precision", "sources", "gpu", "application"});
      }
    }
    for (const auto& [name, there] :
         {std::pair("id", !study.id.empty()), std::pair("host", !study.host.id.empty()),
          std::pair("gpu", !study.gpus.empty()), std::pair("application", !study.applications.empty())}) {
      if (!there) return fail(ErrorCode::bad_input, fmt::format("{} is missing", name), std::string(where_));
    }
    if (study.title.empty()) study.title = study.id;
    return study;
  }

 private:
  template <class Value>
  Result<Value> found(const toml::node& node, Result<Value> value) {
    if (value) return value;
    return error(node.source(), one_line(value.error().text()));
  }

  Result<RunPrecision> precision(const toml::node& node) {
    const auto text = TRY(words(node, "precision"));
    if (const auto parsed = parse_run_precision(text)) return *parsed;
    return error(node.source(), fmt::format("unknown precision '{}'; as fp32 or amp-fp16", one_line(text)));
  }

  Result<void> each(const toml::node& node, std::string_view name, const auto& read_row) {
    const auto* rows = node.as_array();
    if (rows == nullptr) return error(node.source(), fmt::format("'{0}' is written [[{0}]], with two brackets", name));
    for (const toml::node& one : *rows) {
      const auto* row = one.as_table();
      if (row == nullptr) return error(one.source(), fmt::format("'{0}' is written [[{0}]]", name));
      TRY(read_row(*row));
    }
    return {};
  }

  Result<void> add_gpu(const toml::table& row, Study& study) {
    StudyGpu gpu;
    if (!row.contains("id")) return error(row.source(), "id is missing");
    for (auto&& [key, node] : row) {
      if (key.str() == "id") {
        const auto id = TRY(words(node, "id"));
        gpu.gpu = TRY(found(node, find_gpu(id)));
      } else if (key.str() == "price") {
        TRY(read_price(node, gpu));
      } else {
        return unknown(key, " of a gpu", {"id", "price"});
      }
    }
    study.gpus.push_back(std::move(gpu));
    return {};
  }

  Result<void> read_price(const toml::node& node, StudyGpu& gpu) {
    Fact fact;
    fact.key = "price";
    TRY(read_fact(node, "1199 USD", 1 + static_cast<std::size_t>(FactKind::own), fact,
                  [&](const toml::node& part) -> Result<void> {
                    const auto text = TRY(words(part, "price"));
                    const auto price = parse<Dollars>(text);
                    if (!price || !(price->value() >= kCheapest && price->value() <= kDearest)) {
                      return error(part.source(), fmt::format("'{}' is no price from a cent to a billion USD; write "
                                                              "\"1199 USD\"",
                                                              one_line(text)));
                    }
                    gpu.price = *price;
                    return {};
                  }));
    gpu.price_source = fact.source;
    gpu.price_note = fact.note;
    return {};
  }

  Result<std::int64_t> count(const toml::node& node, std::string_view what, std::int64_t most) {
    const auto value = node.value<std::int64_t>();
    if (node.is_integer() && *value >= 1 && *value <= most) return *value;
    return error(node.source(), fmt::format("{} is a whole number from 1 to {}", what, most));
  }

  Result<void> add_application(const toml::table& row, Study& study) {
    Application application;
    std::vector<double> times;
    for (auto&& [key, node] : row) {
      if (key.str() == "name") {
        application.name = TRY(words(node, "name"));
      } else if (key.str() == "label") {
        application.label = TRY(words(node, "label"));
      } else if (key.str() == "batch") {
        application.batch = TRY(count(node, "batch", kMaxDimension));
      } else if (key.str() == "networks") {
        TRY(read_list(node, "networks", [&](const toml::node& one) -> Result<void> {
          application.parts.push_back({TRY(words(one, "a network")), 1});
          return {};
        }));
      } else if (key.str() == "times") {
        TRY(read_list(node, "times", [&](const toml::node& one) -> Result<void> {
          times.push_back(static_cast<double>(TRY(count(one, "times", kMostTimes))));
          return {};
        }));
      } else if (key.str() == "cells") {
        TRY(choice(node, "cells", {"unrolled"}));
        application.unrolled_cells = true;
      } else {
        return unknown(key, " of an application", {"name", "label", "batch", "networks", "times", "cells"});
      }
    }
    if (application.parts.empty()) return error(row.source(), "networks are missing");
    if (!times.empty() && times.size() != application.parts.size()) {
      return error(row.source(), fmt::format("{} networks and {} times", application.parts.size(), times.size()));
    }
    for (std::size_t i = 0; i < times.size(); ++i) application.parts[i].times = times[i];
    if (application.label.empty()) application.label = application.parts.front().network;
    study.applications.push_back(std::move(application));
    return {};
  }

  Result<void> read_list(const toml::node& node, std::string_view what, const auto& read_one) {
    const auto* list = node.as_array();
    if (list == nullptr) return error(node.source(), fmt::format("{} must be a list: [ … ]", what));
    for (const toml::node& one : *list) TRY(read_one(one));
    return {};
  }

  std::string_view where_;
};

}  // namespace

std::vector<std::string> study_ids() { return toml_ids(embedded_studies()); }

Result<Study> parse_study_file(std::string_view toml, std::string_view where) {
  const auto root = TRY(parse_toml(toml, where, "a study file"));
  return StudyReader(where).read(root);
}

Result<Study> find_study(std::string_view selector) {
  const ChosenToml chosen = TRY(choose_toml(embedded_studies(), selector, "study"));
  return parse_study_file(chosen.text, chosen.where);
}

}  // namespace rooftile
