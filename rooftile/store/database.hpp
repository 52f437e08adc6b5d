// An SQLite database and its statements: what owns them, and their errors as ours. Only the sources of this folder
// include it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <sqlite3.h>
#include <string>
#include <string_view>
#include <utility>

#include "rooftile/base/error.hpp"

namespace rooftile::store {

// A compiled statement. Parameters count from 1, columns from 0, as SQLite has them.
class Statement {
 public:
  // Text and bytes must live until the statement has run.
  Statement& bind(int parameter, std::string_view text);
  Statement& bind(int parameter, std::int64_t number);
  Statement& bind(int parameter, double number);
  Statement& bind_bytes(int parameter, std::string_view bytes);
  Statement& bind_nothing(int parameter);

  // Whether there is a row, to be read until the next call.
  Result<bool> step();

  // To its end, and ready to be bound anew.
  Result<void> run();

  // Ready to be bound anew.
  void reset();

  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }
  std::optional<double> number(int column) const;
  std::string_view text(int column) const;  // or bytes

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
  };
  Statement(sqlite3_stmt* statement, const class Database& database) : database_(&database), statement_(statement) {}

  const Database* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int bound_ = SQLITE_OK;  // the first error of a bind()
};

class Database {
 public:
  // `name` is what SQLite opens, a path or a URI; `path` is what errors call it. Flags are sqlite3_open_v2()'s.
  static Result<std::unique_ptr<Database>> open(const std::string& name, const std::string& path, int flags);

  // A statement, or several with semicolons, without results.
  Result<void> run(const std::string& sql);

  // The statement must not outlive the database.
  Result<Statement> prepare(std::string_view sql);

  // The first column of the first row.
  Result<std::int64_t> integer(std::string_view sql);

  // Rows that the last statement changed.
  std::int64_t changes() const { return sqlite3_changes64(handle_.get()); }
  std::int64_t last_id() const { return sqlite3_last_insert_rowid(handle_.get()); }

  sqlite3* handle() const { return handle_.get(); }
  const std::string& path() const { return path_; }

  // What a result code of SQLite means to a person, in one line.
  Error error(int code) const;

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
  };
  std::string path_;
  std::unique_ptr<sqlite3, Close> handle_;
};

// While it lives, what the database does comes to an end after so many steps of SQLite's machine: what a file says may
// go on for ever. One at a time.
class WorkLimit {
 public:
  WorkLimit(Database& database, int steps);
  ~WorkLimit();
  WorkLimit(const WorkLimit&) = delete;
  WorkLimit& operator=(const WorkLimit&) = delete;

  bool was_reached() const { return left_ <= 0; }

 private:
  sqlite3* handle_;
  int left_;  // calls of the handler
};

// Rolls back unless it was committed.
class Transaction {
 public:
  // Waits for other writers as long as the database's patience says.
  static Result<Transaction> begin(Database& database);

  Transaction(Transaction&& other) noexcept : database_(std::exchange(other.database_, nullptr)) {}
  Transaction& operator=(Transaction&&) = delete;
  ~Transaction();

  Result<void> commit();

 private:
  explicit Transaction(Database& database) : database_(&database) {}

  Database* database_;
};

}  // namespace rooftile::store
