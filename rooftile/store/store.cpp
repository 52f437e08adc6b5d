#include "rooftile/store/store.hpp"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/input_file.hpp"
#include "rooftile/base/one_line.hpp"
#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/store/database.hpp"
#include "rooftile/store/schema.hpp"

namespace rooftile::store {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Error> system_error(const std::string& path, int error) {
  return fail(ErrorCode::io, std::strerror(error), path);
}

// Where the parts of an SQLite file's header stand (sqlite.org, "Database File Format", section 1.3).
constexpr std::string_view kMagic("SQLite format 3\0", 16);
constexpr std::size_t kHeader = 100, kPageSizeAt = 16, kPageCountAt = 28;

std::uint64_t big_endian(std::string_view bytes) {
  std::uint64_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<unsigned char>(byte);
  return number;
}

Result<std::string> read_header(const std::string& path) {
  InputFile file = TRY(InputFile::open(path));
  std::string header(kHeader, '\0');
  header.resize(TRY(file.read(header.data(), header.size())));
  return header;
}

// Whether a log beside the file holds what the file itself does not have yet.
bool has_log(const std::string& path) {
  std::error_code error;
  const std::uintmax_t size = fs::file_size(path + "-wal", error);
  return !error && size > 0;
}

// Bytes that the header promises and the file does not have.
Result<std::uint64_t> missing_bytes(const std::string& path) {
  const auto header = TRY(read_header(path));
  if (header.empty()) {
    return fail(ErrorCode::bad_input, "is an empty file, not a store; remove it to begin a new one", path);
  }
  if (!std::string_view(header).starts_with(kMagic)) {
    return fail(ErrorCode::bad_input, "is not a rooftile store", path);
  }
  if (header.size() < kHeader) return kHeader - header.size();
  const std::string_view view = header;
  std::uint64_t page = big_endian(view.substr(kPageSizeAt, 2));
  if (page == 1) page = 65536;
  const std::uint64_t promised = page * big_endian(view.substr(kPageCountAt, 4));
  std::error_code error;
  const std::uint64_t size = fs::file_size(path, error);
  if (error) return fail(ErrorCode::io, error.message(), path);
  return promised > size ? promised - size : 0;
}

// What can be told from the bytes alone, before SQLite looks at them.
Result<void> check_bytes(const std::string& path) {
  auto missing = TRY(missing_bytes(path));
  // Another program may be moving its log into the file: what was missing is there once the log is gone.
  if (missing > 0 && !has_log(path)) missing = TRY(missing_bytes(path));
  if (missing == 0 || has_log(path)) return {};
  return fail(ErrorCode::bad_input,
              fmt::format("the store is damaged: it lacks {} bytes at its end; it was left as it is", missing), path);
}

// A new store beside its place, which then gets its name: nobody sees half of one.
Result<void> make_file(const std::string& path) {
  const std::string temporary = fmt::format("{}.new-{}", path, ::getpid());
  ::unlink(temporary.c_str());  // of a process of the same number that was killed
  const int file = ::open(temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0 && errno == ENOENT) return fail(ErrorCode::io, "the folder for the store does not exist", path);
  if (file < 0) return system_error(path, errno);
  ::close(file);
  const auto fill = [&]() -> Result<void> {
    auto database = TRY(Database::open(temporary, path, SQLITE_OPEN_READWRITE));
    auto made = create_schema(*database, schema_version());
    // Readers need not wait for a writer.
    return made ? database->run("PRAGMA journal_mode = WAL") : made;
  };
  Result<void> result = fill();
  // Not rename(): a store that another program has made meanwhile stays.
  if (result && ::link(temporary.c_str(), path.c_str()) != 0 && errno != EEXIST) result = system_error(path, errno);
  ::unlink(temporary.c_str());
  return result;
}

Result<void> check_identity(Database& database) {
  const auto id = TRY(database.integer("PRAGMA application_id"));
  if (id == kApplicationId) return {};
  return fail(ErrorCode::bad_input, "is a database of another program, not a rooftile store", database.path());
}

// SQLite reads a path that begins with "file:" as a URI.
std::string uri_of(const std::string& path, std::string_view query) {
  std::string uri = "file:";
  for (const char c : fs::absolute(path).string()) {
    const bool plain = c == '/' || c == '.' || c == '-' || c == '_' || (c >= '0' && c <= '9') ||
                       (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    uri += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return uri.append(query);
}

Result<std::unique_ptr<Database>> open_database(const std::string& path, const StoreOptions& options,
                                                std::string_view query) {
  auto database = Database::open(uri_of(path, query), path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_URI);
  if (!database) return database;
  sqlite3* handle = (*database)->handle();
  sqlite3_busy_timeout(handle, static_cast<int>(options.patience.count()));
  // A file from elsewhere must not make SQLite run what its schema says; pages are checked as they are read.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, static_cast<int>(kMaxTextFile));
  sqlite3_limit(handle, SQLITE_LIMIT_ATTACHED, 0);
  sqlite3_limit(handle, SQLITE_LIMIT_EXPR_DEPTH, 20);
  sqlite3_limit(handle, SQLITE_LIMIT_COMPOUND_SELECT, 2);
  constexpr int kMostSteps = 1'000'000;  // a hundredth of a second; our own schema takes some hundred
  const WorkLimit limit(**database, kMostSteps);
  auto set = (*database)->run("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON");
  if (set) set = check_identity(**database);
  if (set) set = check_schema(**database);
  if (limit.was_reached()) return fail(ErrorCode::bad_input, "is not a rooftile store: its schema has no end", path);
  TRY(std::move(set));
  return database;
}

}  // namespace

Store::Store(std::unique_ptr<Database> database) : database_(std::move(database)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

const std::string& Store::path() const { return database_->path(); }

Result<Store> Store::open(const std::string& path, const StoreOptions& options) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (fs::is_directory(status)) return fail(ErrorCode::io, "is a directory; name a file in it", path);
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    return fail(ErrorCode::io, "is a pipe or a device, not a store", path);
  }
  if (!fs::exists(status)) {
    if (status.type() == fs::file_type::none) return fail(ErrorCode::io, error.message(), path);
    if (options.access == Access::read) {
      return fail(ErrorCode::not_found, "no store here; 'rooftile import' creates one", path);
    }
    TRY(make_file(path));
  }
  TRY(check_bytes(path));
  auto opened = open_database(path, options, "");
  // In a folder that cannot be written to, a log that SQLite would keep beside the file has no place; without one the
  // file alone is all there is.
  const bool unwritable = !opened && opened.error().code == ErrorCode::io && ::access(path.c_str(), R_OK) == 0;
  if (unwritable && options.access == Access::read && !has_log(path)) {
    opened = open_database(path, options, "?immutable=1");
  }
  auto database = TRY(std::move(opened));
  TRY(migrate(*database));
  const char* settings = options.access == Access::read
                             ? "PRAGMA query_only = ON"
                             : "PRAGMA synchronous = FULL; PRAGMA cache_size = -49152";  // KiB
  TRY(database->run(settings));
  return Store(std::move(database));
}

Result<Store> Store::in_memory() {
  auto database = TRY(Database::open(":memory:", "memory", SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY));
  TRY(create_schema(*database, schema_version()));
  return Store(std::move(database));
}

bool is_store(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  const auto header = read_header(path);
  return header && std::string_view(*header).starts_with(kMagic);
}

Result<void> quick_check(Store& store) {
  auto statement = TRY(store.database().prepare("PRAGMA quick_check(1)"));
  TRY(statement.step());
  const std::string found(statement.text(0));
  if (found == "ok") return {};
  return fail(ErrorCode::bad_input,
              fmt::format("the store is damaged ({}); it was left as it is", one_line(found, 120)), store.path());
}

}  // namespace rooftile::store
