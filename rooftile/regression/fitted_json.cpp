#include "rooftile/regression/fitted_json.hpp"

#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "rooftile/base/json_fields.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/strict_json.hpp"
#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"

namespace rooftile::regression {
namespace {

using nlohmann::json;
using Json = nlohmann::ordered_json;

constexpr std::string_view kSchema = "rooftile/fitted/1";
constexpr std::int64_t kMostFittedRows = std::int64_t{1} << 53;

// --- what may be absent ---------------------------------------------------------------------------------------------

// A member of a struct and its key, for writing and for reading.
template <class Owner, class Value>
struct Member {
  const char* key;
  Value Owner::*place;
};

template <class Owner>
struct Number : Member<Owner, std::optional<double>> {
  bool may_be_negative = false;
};

constexpr std::array<Number<FittedTerm>, 4> kTermNumbers = {{{{"standard_error", &FittedTerm::standard_error}},
                                                             {{"vif", &FittedTerm::vif}},
                                                             {{"mean", &FittedTerm::mean}, true},
                                                             {{"deviation", &FittedTerm::deviation}}}};
constexpr std::array<Number<FitFigures>, 9> kFigures = {
    {{{"r2", &FitFigures::r2}, true},
     {{"adjusted_r2", &FitFigures::adjusted_r2}, true},
     {{"residual_standard_error", &FitFigures::residual_standard_error}},
     {{"condition_number", &FitFigures::condition_number}},
     {{"penalty", &FitFigures::penalty}},
     {{"mape", &FitFigures::mape}},
     {{"gmae", &FitFigures::gmae}},
     {{"held_out_mape", &FitFigures::held_out_mape}},
     {{"held_out_gmae", &FitFigures::held_out_gmae}}}};
constexpr std::array<Member<FittedOn, std::vector<std::string>>, 6> kFittedOnLists = {
    {{"gpus", &FittedOn::gpus},
     {"software", &FittedOn::software},
     {"precisions", &FittedOn::precisions},
     {"passes", &FittedOn::passes},
     {"networks", &FittedOn::networks},
     {"sources", &FittedOn::sources}}};
constexpr std::array<Member<FittedOn, std::string>, 3> kFittedOnTexts = {
    {{"date", &FittedOn::date}, {"split", &FittedOn::split}, {"note", &FittedOn::note}}};

// --- writing ---------------------------------------------------------------------------------------------------------

void put(Json& object, const char* key, const std::optional<double>& value) {
  if (value) object[key] = *value;
}

void put(Json& object, const char* key, const std::string& value) {
  if (!value.empty()) object[key] = value;
}

void put(Json& object, const char* key, const std::vector<std::string>& values) {
  if (!values.empty()) object[key] = values;
}

template <class Owner, class Members>
void put_all(Json& object, const Owner& owner, const Members& members) {
  for (const auto& member : members) put(object, member.key, owner.*(member.place));
}

Json json_of(const FittedTerm& term, bool has_coefficient) {
  Json factors = Json::array();
  for (const Factor& factor : term.term) {
    Json one = {{"column", factor.column}};
    if (factor.power != 1) one["power"] = factor.power;
    if (factor.log) one["log"] = true;
    factors.push_back(std::move(one));
  }
  Json object = {{"term", text_of(term.term)}, {"factors", std::move(factors)}};
  if (has_coefficient) object["coefficient"] = term.coefficient;
  put_all(object, term, kTermNumbers);
  return object;
}

// A node is [value] or [column, threshold, below, above].
Json json_of(const TreeEnsemble& ensemble) {
  Json trees = Json::array();
  for (const Tree& tree : ensemble.trees) {
    Json nodes = Json::array();
    for (const TreeNode& node : tree) {
      nodes.push_back(node.below == 0 ? Json::array({node.value})
                                      : Json::array({node.column, node.threshold, node.below, node.above}));
    }
    trees.push_back(std::move(nodes));
  }
  return {{"base", ensemble.base}, {"trees", std::move(trees)}};
}

Json json_of(const FitFigures& figures) {
  Json object = {{"rows", figures.rows}};
  put_all(object, figures, kFigures);
  return object;
}

Json json_of(const FittedEquation& equation) {
  Json object = {{"name", equation.name}};
  for (const GroupCell& cell : equation.group) {
    object["group"].push_back({{"column", cell.column}, {"cell", cell.cell}});
  }
  object["technique"] = name_of(equation.technique);
  Json target = {{"name", equation.target.name}, {"log", equation.target.log}};
  put(target, "multiplier", equation.target.multiplier);
  object["target"] = std::move(target);
  Json terms = Json::array();
  for (const FittedTerm& term : equation.terms) terms.push_back(json_of(term, !equation.trees));
  object["terms"] = std::move(terms);
  if (equation.trees) object["ensemble"] = json_of(*equation.trees);
  Json ranges = Json::array();
  for (const ColumnRange& range : equation.ranges) {
    ranges.push_back({{"column", range.column}, {"low", range.low}, {"high", range.high}});
  }
  object["ranges"] = std::move(ranges);
  if (const auto& interval = equation.interval) {
    object["interval"] = {{"level", interval->level},
                          {"factor", interval->factor},
                          {"made_by", interval->made_by},
                          {"rows", interval->rows}};
  }
  object["figures"] = json_of(equation.figures);
  return object;
}

// --- reading ---------------------------------------------------------------------------------------------------------

double as_number(const json& value, const std::string& path) {
  if (!value.is_number()) reject(path, "a number is needed");
  const double number = value.get<double>();
  if (!std::isfinite(number)) reject(path, "the number is too large");
  return number;
}

float as_float(const json& value, const std::string& path) {
  const double number = as_number(value, path);
  if (std::abs(number) > static_cast<double>(std::numeric_limits<float>::max()))
    reject(path, "the number is too large");
  return static_cast<float>(number);
}

double number(Fields& fields, const std::string& key) { return as_number(fields.require(key), fields.path(key)); }

double positive(Fields& fields, const std::string& key) {
  const double value = number(fields, key);
  if (!(value > 0)) reject(fields.path(key), "must be positive");
  return value;
}

std::optional<double> optional_number(Fields& fields, const std::string& key) {
  const json* value = fields.find(key);
  if (value == nullptr) return {};
  return as_number(*value, fields.path(key));
}

template <class Owner, class Numbers>
void read_numbers(Fields& fields, Owner& owner, const Numbers& numbers) {
  for (const auto& one : numbers) {
    const auto value = optional_number(fields, one.key);
    if (value && *value < 0 && !one.may_be_negative) reject(fields.path(one.key), "must not be negative");
    owner.*(one.place) = value;
  }
}

std::string optional_text(Fields& fields, const std::string& key) {
  const json* value = fields.find(key);
  return value == nullptr ? "" : as_text(*value, fields.path(key));
}

std::vector<std::string> texts(Fields& fields, const std::string& key) {
  std::vector<std::string> values;
  for (const json& value : fields.list(key)) {
    values.push_back(as_text(value, fmt::format("{}[{}]", fields.path(key), values.size())));
  }
  return values;
}

std::size_t count(Fields& fields, const std::string& key) {
  return static_cast<std::size_t>(fields.integer(key, {0, kMostFittedRows}).value_or(0));
}

// Calls `read` with each element of a list and its path.
template <class Read>
auto each(Fields& fields, const std::string& key, Read read) {
  std::vector<decltype(read(json(), std::string()))> values;
  for (const json& value : fields.list(key)) {
    values.push_back(read(value, fmt::format("{}[{}]", fields.path(key), values.size())));
  }
  return values;
}

Factor factor_of(const json& value, const std::string& path) {
  constexpr double kLargestPower = 8;
  Fields fields(value, path);
  Factor factor;
  factor.column = fields.text("column");
  if (factor.column.empty()) reject(fields.path("column"), "a column's name is needed");
  factor.power = optional_number(fields, "power").value_or(1);
  if (factor.power == 0 || std::abs(factor.power) > kLargestPower) {
    reject(fields.path("power"), fmt::format("{} is not between -8 and 8, or 0", factor.power));
  }
  factor.log = fields.flag("log", false);
  fields.finish();
  return factor;
}

FittedTerm term_of(const json& value, const std::string& path, bool has_coefficient) {
  Fields fields(value, path);
  FittedTerm term;
  term.term = each(fields, "factors", factor_of);
  const std::string text = text_of(term.term);
  if (const json* given = fields.find("term"); given != nullptr && as_text(*given, fields.path("term")) != text) {
    reject(fields.path("term"), fmt::format("the factors say '{}'", one_line(text)));
  }
  if (has_coefficient) term.coefficient = number(fields, "coefficient");
  read_numbers(fields, term, kTermNumbers);
  fields.finish();
  return term;
}

TreeNode node_of(const json& value, const std::string& path, std::size_t place, std::size_t nodes,
                 std::size_t columns) {
  if (!value.is_array() || (value.size() != 1 && value.size() != 4)) {
    reject(path, "a node is [value] or [column, threshold, below, above]");
  }
  TreeNode node;
  if (value.size() == 1) {
    node.value = as_float(value[0], path);
    return node;
  }
  const auto most = static_cast<std::int64_t>(nodes) - 1;
  const auto after = static_cast<std::int64_t>(place) + 1;  // children come later: no walk goes round in a circle
  const Range children = {after, most};
  node.column = static_cast<std::size_t>(as_integer(value[0], path, {0, static_cast<std::int64_t>(columns) - 1}));
  node.threshold = as_float(value[1], path);
  node.below = static_cast<std::size_t>(as_integer(value[2], path, children));
  node.above = static_cast<std::size_t>(as_integer(value[3], path, children));
  return node;
}

TreeEnsemble ensemble_of(const json& value, const std::string& path, std::size_t columns) {
  Fields fields(value, path);
  TreeEnsemble ensemble;
  ensemble.columns = columns;
  ensemble.base = number(fields, "base");
  ensemble.trees = each(fields, "trees", [&](const json& nodes, const std::string& tree_path) {
    if (!nodes.is_array() || nodes.empty()) reject(tree_path, "a list of nodes is needed");
    Tree tree;
    for (const json& node : nodes) {
      tree.push_back(node_of(node, fmt::format("{}[{}]", tree_path, tree.size()), tree.size(), nodes.size(), columns));
    }
    return tree;
  });
  fields.finish();
  return ensemble;
}

Interval interval_of(const json& value, const std::string& path) {
  Fields fields(value, path);
  Interval interval;
  interval.level = positive(fields, "level");
  if (interval.level >= 1) reject(fields.path("level"), "must be below 1");
  interval.factor = number(fields, "factor");
  constexpr double kMost = 1e6;  // beyond it nothing is said of a time
  if (interval.factor < 1 || interval.factor > kMost) reject(fields.path("factor"), "must be from 1 to 1e6");
  interval.made_by = optional_text(fields, "made_by");
  interval.rows = count(fields, "rows");
  fields.finish();
  return interval;
}

ColumnRange range_of(const json& value, const std::string& path) {
  Fields fields(value, path);
  ColumnRange range = {fields.text("column"), number(fields, "low"), number(fields, "high")};
  if (range.low > range.high) reject(path, "low is above high");
  fields.finish();
  return range;
}

GroupCell group_cell_of(const json& value, const std::string& path) {
  Fields fields(value, path);
  GroupCell cell = {fields.text("column"), fields.text("cell")};
  fields.finish();
  return cell;
}

FitFigures figures_of(const json& value, const std::string& path) {
  Fields fields(value, path);
  FitFigures figures;
  figures.rows = count(fields, "rows");
  read_numbers(fields, figures, kFigures);
  fields.finish();
  return figures;
}

Target target_of(const json& value, const std::string& path) {
  Fields fields(value, path);
  Target target;
  target.name = fields.text("name");
  if (target.name != Target().name) reject(fields.path("name"), "must be " + Target().name);
  target.log = fields.flag("log", false);
  target.multiplier = optional_text(fields, "multiplier");
  fields.finish();
  return target;
}

FittedEquation read_equation(const json& value, const std::string& path) {
  Fields fields(value, path);
  FittedEquation equation;
  equation.name = optional_text(fields, "name");
  equation.group = each(fields, "group", group_cell_of);
  equation.technique = or_reject(parse_technique(fields.text("technique")), fields.path("technique"));
  equation.target = target_of(fields.require("target"), fields.path("target"));
  const json* ensemble = fields.find("ensemble");
  if ((ensemble != nullptr) != (equation.technique == Technique::trees)) {
    reject(path, "'ensemble' belongs to the technique trees, and to no other");
  }
  equation.terms = each(fields, "terms", [&](const json& term, const std::string& term_path) {
    return term_of(term, term_path, ensemble == nullptr);
  });
  if (ensemble != nullptr) {
    equation.trees = ensemble_of(*ensemble, fields.path("ensemble"), equation.terms.size());
  }
  equation.ranges = each(fields, "ranges", range_of);
  if (const json* interval = fields.find("interval")) {
    equation.interval = interval_of(*interval, fields.path("interval"));
  }
  if (const json* figures = fields.find("figures")) equation.figures = figures_of(*figures, fields.path("figures"));
  fields.finish();
  return equation;
}

FittedOn fitted_on_of(const json& value, const std::string& path) {
  Fields fields(value, path);
  FittedOn on;
  on.rows = count(fields, "rows");
  for (const auto& list : kFittedOnLists) on.*(list.place) = texts(fields, list.key);
  for (const auto& text : kFittedOnTexts) on.*(text.place) = optional_text(fields, text.key);
  fields.finish();
  return on;
}

FittedModel model_of(const json& value) {
  Fields fields(value, "");
  if (const std::string schema = fields.text("schema"); schema != kSchema) {
    reject_choice("schema", schema, {std::string(kSchema)});
  }
  FittedModel model;
  model.name = optional_text(fields, "name");
  model.kind = fields.text("kind");
  if (const json* on = fields.find("fitted_on")) model.fitted_on = fitted_on_of(*on, "fitted_on");
  model.equations = each(fields, "equations", read_equation);
  if (model.equations.empty()) reject("equations", "there are none");
  for (std::size_t i = 0; i < model.equations.size(); ++i) {
    if (model.find(model.equations[i].name) != &model.equations[i]) {
      reject(fmt::format("equations[{}].name", i), "another equation has this name");
    }
  }
  fields.finish();
  return model;
}

}  // namespace

std::string fitted_json(const FittedModel& model) {
  Json object = {{"schema", kSchema}, {"name", model.name}, {"kind", model.kind}};
  Json on = {{"rows", model.fitted_on.rows}};
  put_all(on, model.fitted_on, kFittedOnLists);
  put_all(on, model.fitted_on, kFittedOnTexts);
  object["fitted_on"] = std::move(on);
  Json equations = Json::array();
  for (const FittedEquation& equation : model.equations) equations.push_back(json_of(equation));
  object["equations"] = std::move(equations);
  // Names of columns, GPUs and files may be of any encoding.
  return object.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<FittedModel> parse_fitted_json(std::string_view text, std::string_view where) {
  const auto value = TRY(parse_strict_json(text, where));
  try {
    return model_of(value);
  } catch (const Error& error) {
    const std::string place =  // a key of the file may stand in it
        error.where.empty() ? std::string(where) : fmt::format("{}: {}", where, one_line(error.where));
    return fail(error.code, error.message, place);
  }
}

Result<FittedModel> read_fitted_model(const std::string& path) {
  const auto text = TRY(read_text_file(path));
  return parse_fitted_json(text, path == "-" ? "standard input" : path);
}

}  // namespace rooftile::regression
