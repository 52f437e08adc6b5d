#include "rooftile/store/import.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "rooftile/base/csv.hpp"
#include "rooftile/base/input_file.hpp"
#include "rooftile/base/text_file.hpp"
#include "rooftile/base/try.hpp"
#include "rooftile/ingest/layer_table_row.hpp"
#include "rooftile/store/foreign_rows.hpp"
#include "rooftile/store/row_importer.hpp"

namespace rooftile::store {
namespace {

// A file, piece by piece.
class Pieces {
 public:
  static Result<Pieces> open(const std::string& path) { return Pieces(TRY(InputFile::open(path))); }

  const std::string& name() const { return file_.name(); }

  // The next piece, until the file's next one is asked for; empty at the end.
  Result<std::string_view> next() {
    const std::size_t size = TRY(file_.read(block_->data(), block_->size()));
    done_ += size;
    return std::string_view(block_->data(), size);
  }

  // What is left of it.
  Result<std::string> rest(std::string text) {
    while (true) {
      const auto piece = TRY(next());
      if (piece.empty()) return text;
      text += piece;
      if (text.size() > kMaxTextFile) {
        return fail(ErrorCode::io, fmt::format("larger than {} MiB", kMaxTextFile >> 20U), name());
      }
    }
  }

  // From 0 to 1; 0 while nobody knows.
  double share() const {
    return file_.size() == 0 ? 0 : std::min(1.0, static_cast<double>(done_) / static_cast<double>(file_.size()));
  }

 private:
  using Block = std::array<char, std::size_t{1} << 18>;

  explicit Pieces(InputFile file) : file_(std::move(file)) {}

  InputFile file_;
  std::uint64_t done_ = 0;
  std::unique_ptr<Block> block_ = std::make_unique<Block>();
};

bool is_table_header(const std::vector<std::string>& cells) {
  const auto has = [&](std::string_view name) {
    return std::any_of(cells.begin(), cells.end(), [&](const std::string& cell) { return trimmed(cell) == name; });
  };
  // "ID" and "Kernel Name" of profilers are other words.
  return has("op") || (has("C") && has("R")) || (has("M") && has("N") && has("K"));
}

// Whether the first line of the text is the header of a layer table.
bool is_table(std::string_view text) {
  const std::size_t begin = text.find_first_not_of("\r\n");
  if (begin == std::string_view::npos) return false;
  const std::string_view line = text.substr(begin, text.find_first_of("\r\n", begin) - begin);
  const auto rows = parse_csv(line, "");
  return rows && !rows->empty() && is_table_header(rows->front().cells);
}

tl::unexpected<Error> interrupted(const std::string& file) {
  return fail(ErrorCode::interrupted, "stopped; nothing was stored", file);
}

class FileImport {
 public:
  FileImport(MeasurementWriter& writer, const ImportOptions& options, Pieces pieces)
      : writer_(writer), options_(options), pieces_(std::move(pieces)) {
    result_.file = pieces_.name();
  }

  Result<ImportedFile> run() {
    const auto first = TRY(pieces_.next());
    if (first.find_first_not_of(" \t\r\n") == std::string_view::npos) {
      return fail(ErrorCode::bad_input, "the file is empty", result_.file);
    }
    TRY(is_table(first) ? table(first) : foreign(std::string(first)));
    return std::move(result_);
  }

 private:
  Result<void> table(std::string_view piece) {
    result_.format = "layer table";
    CsvReader reader(result_.file);
    while (!piece.empty()) {
      auto rows = TRY(reader.feed(piece));
      TRY(add(std::move(rows)));
      if (options_.progress && !options_.progress(pieces_.share())) return interrupted(result_.file);
      const auto next = TRY(pieces_.next());
      piece = next;
    }
    return add(TRY(reader.finish()));
  }

  Result<void> add(std::vector<CsvRow> rows) {
    for (CsvRow& row : rows) {
      if (!importer_) {
        auto importer = TRY(RowImporter::begin(writer_, result_, std::move(row), options_, options_.date));
        importer_ = std::make_unique<RowImporter>(std::move(importer));
      } else {
        TRY(importer_->add(std::move(row)));
      }
    }
    return {};
  }

  Result<void> foreign(std::string begin) {
    const auto text = TRY(pieces_.rest(std::move(begin)));
    auto found = is_benchmark(text) ? benchmark_rows(text, result_.file) : profile_rows(text, result_.file);
    if (!found && found.error().message.starts_with("unrecognised profile format")) {
      return fail(ErrorCode::bad_input,
                  "neither a layer table (a column op, or those of a convolution or a GEMM), nor the profile of ncu, "
                  "nvprof, rocprof or PyTorch, nor the output of PyTorch's benchmarks as text or JSON",
                  result_.file);
    }
    auto rows = TRY(std::move(found));
    result_.format = std::move(rows.format);
    result_.notes = std::move(rows.notes);
    auto importer = TRY(RowImporter::begin(writer_, result_, std::move(rows.header), options_,
                                           rows.date.empty() ? options_.date : rows.date));
    std::size_t done = 0;
    constexpr std::size_t kBetween = 4096;
    for (CsvRow& row : rows.rows) {
      TRY(importer.add(std::move(row)));
      const double share = static_cast<double>(++done) / static_cast<double>(rows.rows.size());
      if (done % kBetween == 0 && options_.progress && !options_.progress(share)) return interrupted(result_.file);
    }
    return {};
  }

  MeasurementWriter& writer_;
  const ImportOptions& options_;
  Pieces pieces_;
  ImportedFile result_;
  std::unique_ptr<RowImporter> importer_;
};

}  // namespace

Result<ImportedFile> import_file(MeasurementWriter& writer, const std::string& path, const ImportOptions& options) {
  auto pieces = TRY(Pieces::open(path));
  return FileImport(writer, options, std::move(pieces)).run();
}

}  // namespace rooftile::store
