// Where the store lies.
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "rooftile/base/try.hpp"
#include "rooftile/cli/option_kinds.hpp"
#include "rooftile/cli/store_commands.hpp"

namespace rooftile::cli {
namespace {

namespace fs = std::filesystem;

// Empty where the variable is not set, or is no absolute path: the specification has those ignored.
fs::path folder_of(const char* variable) {
  const char* value = std::getenv(variable);
  const fs::path path = value == nullptr ? "" : value;
  return path.is_absolute() ? path : fs::path();
}

}  // namespace

CLI::Option* add_db(CLI::App* app, std::string& db) {
  return add_text(app, "--db", db, "FILE", "the store (default: rooftile/rooftile.db in the user's data directory)");
}

Result<std::string> store_path(const std::string& db) {
  if (!db.empty()) return db;
  fs::path folder = folder_of("XDG_DATA_HOME");
  if (folder.empty()) {
    folder = folder_of("HOME");
    if (folder.empty()) return fail(ErrorCode::usage, "no home directory to keep the store in; give --db FILE");
    folder /= ".local/share";
  }
  return (folder / "rooftile" / "rooftile.db").string();
}

Result<store::Store> open_store(const std::string& db, store::Access access) {
  const auto path = TRY(store_path(db));
  if (db.empty() && access == store::Access::write) {
    const fs::path folder = fs::path(path).parent_path();
    std::error_code error;
    fs::create_directories(folder, error);
    if (error) return fail(ErrorCode::io, error.message(), folder.string());
  }
  return store::Store::open(path, {.access = access});
}

}  // namespace rooftile::cli
