#include "rooftile/store/measurements.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/csv.hpp"
#include "rooftile/base/nearest.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/ingest/layer_table_reader.hpp"
#include "rooftile/ingest/layer_table_row.hpp"
#include "rooftile/store/content_key.hpp"
#include "rooftile/store/database.hpp"

namespace rooftile::store {
namespace {

// A header or a row as one text.
std::string packed(std::span<const std::string> cells) {
  std::string text = write_csv_row(cells);
  text.pop_back();
  return text;
}

Result<std::vector<std::string>> unpacked(std::string_view text, const std::string& where) {
  std::vector<std::string> cells;
  // Most rows have neither quotes nor marks.
  if (text.find_first_of("\"'") == std::string_view::npos) {
    while (true) {
      const std::size_t end = text.find(',');
      cells.emplace_back(text.substr(0, end));
      if (end == std::string_view::npos) return cells;
      text.remove_prefix(end + 1);
    }
  }
  auto rows = parse_csv(text, where);
  if (!rows || rows->size() != 1)
    return fail(ErrorCode::bad_input, "the store is damaged: a row cannot be read", where);
  return std::move(rows->front().cells);
}

// The id of a row of a small table; it is added where it is not there. Both statements take `values` in order.
Result<std::int64_t> id_of(Database& database, const char* select, const char* insert,
                           std::span<const std::string_view> values) {
  for (const bool added : {false, true}) {
    auto statement = TRY(database.prepare(added ? insert : select));
    for (std::size_t i = 0; i < values.size(); ++i) statement.bind(static_cast<int>(i) + 1, values[i]);
    if (added) {
      TRY(statement.run());
      return database.last_id();
    }
    const auto row = TRY(statement.step());
    if (row) return statement.integer(0);
  }
  return 0;
}

struct KeyHash {
  std::size_t operator()(const ContentKey& key) const { return std::hash<std::string_view>{}(key.bytes()); }
};

}  // namespace

struct MeasurementWriter::State {
  State(Database& of, Transaction begun, Statement find_row, Statement insert_row)
      : database(of), transaction(std::move(begun)), find(std::move(find_row)), insert(std::move(insert_row)) {}

  Result<std::int64_t> subject_id(const Subject& subject) {
    if (const auto known = subjects.find(subject); known != subjects.end()) return known->second;
    const std::array<std::string_view, 5> values = {subject.gpu, subject.op, subject.precision, subject.pass,
                                                    subject.software};
    auto id = id_of(database,
                    "SELECT id FROM subject WHERE gpu = ? AND op = ? AND precision = ? AND pass = ? AND software = ?",
                    "INSERT INTO subject (gpu, op, precision, pass, software) VALUES (?, ?, ?, ?, ?)", values);
    if (id) subjects.emplace(subject, *id);
    return id;
  }

  // The layout and the origin, once a row needs them.
  Result<void> find_file() {
    const std::string header = packed(columns);
    const std::array<std::string_view, 1> layout_values = {header};
    const auto layout_id = TRY(id_of(database, "SELECT id FROM layout WHERE header = ?",
                                     "INSERT INTO layout (header) VALUES (?)", layout_values));
    const std::array<std::string_view, 4> values = {origin.file, origin.format, origin.source, origin.date};
    const auto origin_row =
        TRY(id_of(database, "SELECT id FROM origin WHERE file = ? AND format = ? AND source = ? AND date = ?",
                  "INSERT INTO origin (file, format, source, date) VALUES (?, ?, ?, ?)", values));
    layout = layout_id;
    origin_id = origin_row;
    return {};
  }

  Database& database;
  Transaction transaction;
  Statement find, insert;
  std::map<Subject, std::int64_t> subjects;

  // Of the file.
  Origin origin;
  std::vector<std::string> columns;
  ContentKeyer keyer{std::vector<std::string>()};
  std::optional<std::int64_t> layout, origin_id;
  std::unordered_map<ContentKey, std::uint32_t, KeyHash> copies;  // how often each content was there so far
};

MeasurementWriter::MeasurementWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
MeasurementWriter::MeasurementWriter(MeasurementWriter&&) noexcept = default;
MeasurementWriter& MeasurementWriter::operator=(MeasurementWriter&&) noexcept = default;
MeasurementWriter::~MeasurementWriter() = default;

Result<MeasurementWriter> MeasurementWriter::begin(Store& store) {
  Database& database = store.database();
  auto transaction = TRY(Transaction::begin(database));
  auto find = TRY(database.prepare("SELECT 1 FROM measurement WHERE key = ?"));
  auto insert =
      TRY(database.prepare("INSERT OR IGNORE INTO measurement (key, copy, layout, origin, subject, line, cells) "
                           "VALUES (?, ?, ?, ?, ?, ?, ?)"));
  return MeasurementWriter(
      std::make_unique<State>(database, std::move(transaction), std::move(find), std::move(insert)));
}

void MeasurementWriter::begin_file(Origin origin, std::vector<std::string> columns) {
  state_->keyer = ContentKeyer(columns);
  state_->origin = std::move(origin);
  state_->columns = std::move(columns);
  state_->layout.reset();
  state_->origin_id.reset();
  state_->copies.clear();
}

Result<bool> MeasurementWriter::add(const Subject& subject, std::size_t line, std::span<const std::string> cells) {
  State& state = *state_;
  ContentKey key = state.keyer.key(cells, 1);
  const std::uint32_t copy = ++state.copies[key];
  if (copy > 1) key = state.keyer.key(cells, copy);
  if (!state.layout) {
    // A file of which nothing is new leaves no trace.
    const auto known = state.find.bind_bytes(1, key.bytes()).step();
    state.find.reset();
    if (TRY(known)) return false;
    TRY(state.find_file());
  }
  const auto subject_id = TRY(state.subject_id(subject));
  const std::string text = packed(cells);
  state.insert.bind_bytes(1, key.bytes()).bind(2, std::int64_t{copy}).bind(3, *state.layout).bind(4, *state.origin_id);
  state.insert.bind(5, subject_id).bind(6, static_cast<std::int64_t>(line)).bind(7, text);
  TRY(state.insert.run());
  return state.database.changes() > 0;
}

Result<void> MeasurementWriter::commit() { return state_->transaction.commit(); }

namespace {

// The small tables of the store, by id.
struct Names {
  struct Layout {
    std::vector<std::string> columns;
    std::unordered_map<std::string, std::size_t> places;
    ContentKeyer keyer{std::vector<std::string>()};
  };
  std::map<std::int64_t, Layout> layouts;
  std::map<std::int64_t, Origin> origins;
  std::map<std::int64_t, Subject> subjects;
};

Result<Names> read_names(Store& store) {
  Names names;
  Database& database = store.database();
  const auto each = [&](const char* sql, const auto& take) -> Result<void> {
    auto statement = TRY(database.prepare(sql));
    while (true) {
      const auto row = TRY(statement.step());
      if (!row) return {};
      const auto text = [&](int column) { return std::string(statement.text(column)); };
      TRY(take(statement.integer(0), text));
    }
  };
  TRY(each("SELECT id, header FROM layout", [&](std::int64_t id, const auto& text) -> Result<void> {
    auto columns = TRY(unpacked(text(1), store.path()));
    Names::Layout& layout = names.layouts[id];
    for (std::size_t i = 0; i < columns.size(); ++i) layout.places.emplace(trimmed(columns[i]), i);
    layout.keyer = ContentKeyer(columns);
    layout.columns = std::move(columns);
    return {};
  }));
  TRY(each("SELECT id, file, format, source, date FROM origin", [&](std::int64_t id, const auto& text) {
    names.origins[id] = {text(1), text(2), text(3), text(4)};
    return Result<void>();
  }));
  TRY(each("SELECT id, op, gpu, precision, pass, software FROM subject", [&](std::int64_t id, const auto& text) {
    names.subjects[id] = {text(1), text(2), text(3), text(4), text(5)};
    return Result<void>();
  }));
  return names;
}

constexpr std::array<const char*, 7> kOwnColumns = {"gpu", "op", "precision", "pass", "source", "date", "table"};

Result<void> check_columns(const Filter& filter, const Names& names) {
  std::set<std::string> known(kOwnColumns.begin(), kOwnColumns.end());
  for (const auto& [id, layout] : names.layouts) {
    for (const auto& [column, place] : layout.places) known.insert(column);
  }
  for (const Filter::Use& use : filter.columns()) {
    if (known.count(use.column) > 0) continue;
    return fail(ErrorCode::not_found,
                fmt::format("no measurement in the store has a column '{}'{}", one_line(use.column, 40),
                            did_you_mean(use.column, std::vector<std::string>(known.begin(), known.end()))),
                fmt::format("--where: character {}", use.place));
  }
  return {};
}

// A column of all rows of a subject, by the name that a filter gives it; nothing where they may differ in it.
std::optional<std::string_view> cell_of(const Subject& subject, const std::string& column) {
  if (column == "gpu") return subject.gpu;
  if (column == "op") return subject.op;
  if (column == "precision") return subject.precision;
  if (column == "pass") return subject.pass;
  return {};
}

// The same of a stored row.
std::string_view cell_of(const StoredMeasurement& row, const Names::Layout& layout, const std::string& column) {
  if (const auto common = cell_of(row.subject, column)) return *common;
  const auto place = layout.places.find(column);
  if (place != layout.places.end()) return trimmed(row.cells[place->second]);
  if (column == "source") return row.origin.source;
  if (column == "date") return row.origin.date;
  if (column == "table") return row.origin.file;
  return {};
}

bool is_meant(const MeasurementQuery& query, const Subject& subject) {
  const auto fits = [](const std::string& wanted, const std::string& name) { return wanted.empty() || wanted == name; };
  if (query.about && !query.about(subject)) return false;
  // What the filter says of subjects spares reading the rows of others.
  const auto known = [&](const std::string& column) { return cell_of(subject, column); };
  if (query.where && !query.where->may_match(known)) return false;
  return fits(query.gpu, subject.gpu) && fits(query.op, subject.op) && fits(query.precision, subject.precision);
}

// The ids of the subjects and origins that are meant, as conditions in SQL; empty: all.
std::string condition(const MeasurementQuery& query, const Names& names) {
  std::vector<std::int64_t> subjects, origins;
  for (const auto& [id, subject] : names.subjects) {
    if (is_meant(query, subject)) subjects.push_back(id);
  }
  for (const auto& [id, origin] : names.origins) {
    if (query.source.empty() || query.source == origin.source) origins.push_back(id);
  }
  std::string sql;
  if (subjects.size() < names.subjects.size()) sql += fmt::format("subject IN ({})", fmt::join(subjects, ","));
  if (origins.size() < names.origins.size()) {
    sql += fmt::format("{}origin IN ({})", sql.empty() ? "" : " AND ", fmt::join(origins, ","));
  }
  return sql;
}

tl::unexpected<Error> damaged(const Store& store, std::int64_t id) {
  return fail(ErrorCode::bad_input,
              fmt::format("the store is damaged: measurement {} is not as it was added; it was left as it is", id),
              store.path());
}

// Inside of a transaction in which the names were read.
Result<void> for_each(Store& store, const MeasurementQuery& query, const Names& names,
                      const std::function<Result<void>(StoredMeasurement, const Names::Layout&)>& visit) {
  if (query.where) {
    TRY(check_columns(*query.where, names));
  }
  const std::string where = condition(query, names);
  // Found by their index first, and only then read, in the order of their ids.
  auto statement = TRY(store.database().prepare(
      fmt::format("SELECT id, key, copy, layout, origin, subject, line, cells FROM measurement {} ORDER BY id",
                  where.empty() ? "" : fmt::format("WHERE id IN (SELECT id FROM measurement WHERE {})", where))));
  std::int64_t last = 0;
  while (true) {
    const auto row = TRY(statement.step());
    if (!row) return {};
    const std::int64_t id = statement.integer(0);
    if (id <= last) return damaged(store, id);  // pages that lead to one another could repeat rows without end
    last = id;
    const auto layout = names.layouts.find(statement.integer(3));
    const auto origin = names.origins.find(statement.integer(4));
    const auto subject = names.subjects.find(statement.integer(5));
    if (layout == names.layouts.end() || origin == names.origins.end() || subject == names.subjects.end()) {
      return damaged(store, id);
    }
    auto cells = TRY(unpacked(statement.text(7), store.path()));
    if (cells.size() != layout->second.columns.size()) return damaged(store, id);
    const auto copy = static_cast<std::uint32_t>(statement.integer(2));
    if (layout->second.keyer.key(cells, copy).bytes() != statement.text(1)) return damaged(store, id);
    StoredMeasurement stored{id,
                             subject->second,
                             origin->second,
                             layout->second.columns,
                             static_cast<std::size_t>(statement.integer(6)),
                             std::move(cells)};
    if (query.where) {
      const auto cell = [&](const std::string& column) { return cell_of(stored, layout->second, column); };
      if (!query.where->matches(cell)) continue;
    }
    TRY(visit(std::move(stored), layout->second));
  }
}

// Names and rows of one moment.
Result<void> for_each_of_now(
    Store& store, const MeasurementQuery& query,
    const std::function<Result<void>(StoredMeasurement, const Names::Layout&, const Names&)>& visit) {
  Database& database = store.database();
  TRY(database.run("BEGIN"));
  const auto names = read_names(store);
  Result<void> result = names ? for_each(store, query, *names,
                                         [&](StoredMeasurement row, const Names::Layout& layout) {
                                           return visit(std::move(row), layout, *names);
                                         })
                              : tl::unexpected(names.error());
  const auto ended = database.run("COMMIT");
  return result ? ended : result;
}

}  // namespace

Result<void> for_each_measurement(Store& store, const MeasurementQuery& query,
                                  const std::function<Result<void>(StoredMeasurement)>& visit) {
  return for_each_of_now(
      store, query, [&](StoredMeasurement row, const Names::Layout&, const Names&) { return visit(std::move(row)); });
}

Result<std::vector<MeasuredTable>> measured_tables(Store& store, const MeasurementQuery& query,
                                                   LayerTableOptions options) {
  options.keep_unsupported = true;
  options.measurements = true;
  struct Growing {
    std::string name;
    LayerTableReader reader;
    LayerTable table;
  };
  std::vector<Growing> growing;
  std::map<std::pair<const Origin*, const Names::Layout*>, std::size_t> places;
  const auto add = [&](StoredMeasurement row, const Names::Layout& layout, const Names&) -> Result<void> {
    const auto [place, is_new] = places.emplace(std::pair(&row.origin, &layout), growing.size());
    if (is_new) {
      auto reader = TRY(LayerTableReader::from_header({1, row.columns}, row.origin.file, options));
      growing.push_back({row.origin.file, std::move(reader), {}});
      growing.back().table.columns = row.columns;
    }
    Growing& table = growing[place->second];
    return table.reader.read({row.line, std::move(row.cells)}, table.table);
  };
  TRY(for_each_of_now(store, query, add));
  if (growing.empty()) {
    return fail(ErrorCode::not_found, "no measurement in the store matches; see 'rooftile store list'", store.path());
  }
  std::vector<MeasuredTable> tables;
  for (Growing& table : growing) tables.emplace_back(std::move(table.name), std::move(table.table));
  return tables;
}

Result<std::vector<MeasurementCount>> count_measurements(Store& store, const MeasurementQuery& query) {
  std::map<std::pair<Subject, Origin>, std::int64_t> counts;
  if (query.where) {
    const auto count = [&](const StoredMeasurement& row) -> Result<void> {
      ++counts[{row.subject, row.origin}];
      return {};
    };
    TRY(for_each_measurement(store, query, count));
  } else {
    const auto names = TRY(read_names(store));
    const std::string where = condition(query, names);
    auto statement = TRY(store.database().prepare(
        fmt::format("SELECT subject, origin, count(*) FROM measurement {}{} GROUP BY subject, origin",
                    where.empty() ? "" : "WHERE ", where)));
    while (true) {
      const auto row = TRY(statement.step());
      if (!row) break;
      const auto subject = names.subjects.find(statement.integer(0));
      const auto origin = names.origins.find(statement.integer(1));
      // Another program may have added rows since the names were read.
      if (subject == names.subjects.end() || origin == names.origins.end()) continue;
      counts[{subject->second, origin->second}] += statement.integer(2);
    }
  }
  std::vector<MeasurementCount> result;
  for (const auto& [what, rows] : counts) result.push_back({what.first, what.second, rows});
  return result;
}

Result<std::int64_t> remove_measurements(Store& store, const MeasurementQuery& query) {
  Database& database = store.database();
  auto transaction = TRY(Transaction::begin(database));
  const auto names = TRY(read_names(store));
  std::vector<std::int64_t> ids;
  const auto collect = [&](const StoredMeasurement& row, const Names::Layout&) -> Result<void> {
    ids.push_back(row.id);
    return {};
  };
  TRY(for_each(store, query, names, collect));
  auto statement = TRY(database.prepare("DELETE FROM measurement WHERE id = ?"));
  for (const std::int64_t id : ids) {
    TRY(statement.bind(1, id).run());
  }
  if (!ids.empty()) {
    TRY(
        database.run("DELETE FROM origin WHERE id NOT IN (SELECT origin FROM measurement);"
                     "DELETE FROM subject WHERE id NOT IN (SELECT subject FROM measurement);"
                     "DELETE FROM layout WHERE id NOT IN (SELECT layout FROM measurement)"));
  }
  TRY(transaction.commit());
  return static_cast<std::int64_t>(ids.size());
}

}  // namespace rooftile::store
