#include "rooftile/store/database.hpp"

#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/one_line.hpp"
#include "rooftile/base/try.hpp"

namespace rooftile::store {

Statement& Statement::bind(int parameter, std::string_view text) {
  // An empty view may point nowhere, which SQLite would take for NULL.
  const char* data = text.data() == nullptr ? "" : text.data();
  const int code = sqlite3_bind_text64(statement_.get(), parameter, data, text.size(), SQLITE_STATIC, SQLITE_UTF8);
  if (bound_ == SQLITE_OK) bound_ = code;
  return *this;
}

Statement& Statement::bind(int parameter, std::int64_t number) {
  const int code = sqlite3_bind_int64(statement_.get(), parameter, number);
  if (bound_ == SQLITE_OK) bound_ = code;
  return *this;
}

Statement& Statement::bind(int parameter, double number) {
  const int code = sqlite3_bind_double(statement_.get(), parameter, number);
  if (bound_ == SQLITE_OK) bound_ = code;
  return *this;
}

Statement& Statement::bind_bytes(int parameter, std::string_view bytes) {
  const int code = sqlite3_bind_blob64(statement_.get(), parameter, bytes.data(), bytes.size(), SQLITE_STATIC);
  if (bound_ == SQLITE_OK) bound_ = code;
  return *this;
}

Statement& Statement::bind_nothing(int parameter) {
  const int code = sqlite3_bind_null(statement_.get(), parameter);
  if (bound_ == SQLITE_OK) bound_ = code;
  return *this;
}

Result<bool> Statement::step() {
  if (bound_ != SQLITE_OK) return tl::unexpected(database_->error(bound_));
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  return tl::unexpected(database_->error(code));
}

Result<void> Statement::run() {
  Result<bool> row = true;
  while (row && *row) row = step();
  reset();
  TRY(row);
  return {};
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
  bound_ = SQLITE_OK;
}

std::optional<double> Statement::number(int column) const {
  if (sqlite3_column_type(statement_.get(), column) == SQLITE_NULL) return std::nullopt;
  return sqlite3_column_double(statement_.get(), column);
}

std::string_view Statement::text(int column) const {
  const void* data = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  return data == nullptr ? std::string_view()
                         : std::string_view(static_cast<const char*>(data), static_cast<std::size_t>(size));
}

Result<std::unique_ptr<Database>> Database::open(const std::string& name, const std::string& path, int flags) {
  auto database = std::make_unique<Database>();
  database->path_ = path;
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &handle, flags | SQLITE_OPEN_EXRESCODE, nullptr);
  database->handle_.reset(handle);
  if (code != SQLITE_OK) return tl::unexpected(database->error(code));
  return database;
}

Result<void> Database::run(const std::string& sql) {
  const int code = sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return tl::unexpected(error(code));
  return {};
}

Result<Statement> Database::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v2(handle_.get(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  if (code != SQLITE_OK) return tl::unexpected(error(code));
  return Statement(statement, *this);
}

Result<std::int64_t> Database::integer(std::string_view sql) {
  auto statement = TRY(prepare(sql));
  const bool row = TRY(statement.step());
  return row ? statement.integer(0) : 0;
}

Error Database::error(int code) const {
  const auto io = [&](std::string message) { return Error{ErrorCode::io, std::move(message), path_}; };
  const auto with_cause = [&](const char* message) {
    const int cause = handle_ ? sqlite3_system_errno(handle_.get()) : 0;
    return io(cause == 0 ? std::string(message) : fmt::format("{}: {}", message, std::strerror(cause)));
  };
  constexpr int kPrimary = 0xff;
  switch (code & kPrimary) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return io("another program is writing to the store; try again when it is done");
    case SQLITE_FULL:
      return io("the disk is full; nothing was stored");
    case SQLITE_READONLY:
      return io("the store cannot be written to");
    case SQLITE_CANTOPEN:
      return with_cause("the store cannot be opened");
    case SQLITE_IOERR:
      return with_cause("the store cannot be read or written");
    case SQLITE_CORRUPT:
      return Error{ErrorCode::bad_input, "the store is damaged; it was left as it is", path_};
    case SQLITE_NOTADB:
      return Error{ErrorCode::bad_input, "is not a rooftile store", path_};
    case SQLITE_INTERRUPT:
      return io("interrupted; nothing was stored");
    default:
      return io(one_line(handle_ ? sqlite3_errmsg(handle_.get()) : sqlite3_errstr(code)));
  }
}

WorkLimit::WorkLimit(Database& database, int steps) : handle_(database.handle()) {
  constexpr int kBetween = 1000;  // steps between calls
  left_ = steps / kBetween;
  const auto count = [](void* limit) { return --static_cast<WorkLimit*>(limit)->left_ <= 0 ? 1 : 0; };
  sqlite3_progress_handler(handle_, kBetween, count, this);
}

WorkLimit::~WorkLimit() { sqlite3_progress_handler(handle_, 0, nullptr, nullptr); }

Result<Transaction> Transaction::begin(Database& database) {
  TRY(database.run("BEGIN IMMEDIATE"));
  return Transaction(database);
}

Transaction::~Transaction() {
  // SQLite may have rolled back already (a full disk); then this fails, and nothing is lost.
  if (database_ != nullptr) sqlite3_exec(database_->handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

Result<void> Transaction::commit() {
  TRY(database_->run("COMMIT"));
  database_ = nullptr;
  return {};
}

}  // namespace rooftile::store
