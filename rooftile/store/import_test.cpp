#include "rooftile/store/import.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/store/database.hpp"
#include "rooftile/store/export.hpp"
#include "rooftile/store/fitted.hpp"
#include "rooftile/store/integrity.hpp"
#include "rooftile/store/schema.hpp"
#include "rooftile/store/test_folder.hpp"
#include "rooftile/validate/filter.hpp"

namespace rooftile::store {
namespace {

using testing::HasSubstr;

constexpr StoreOptions kWrite = {.access = Access::write};

Result<ImportedFile> import_one(const std::string& db, const std::string& path, const ImportOptions& options = {}) {
  auto store = Store::open(db, kWrite);
  if (!store) return tl::unexpected(store.error());
  auto writer = MeasurementWriter::begin(*store);
  if (!writer) return tl::unexpected(writer.error());
  auto file = import_file(*writer, path, options);
  if (!file) return file;
  if (auto committed = writer->commit(); !committed) return tl::unexpected(committed.error());
  return file;
}

std::string import_error(const std::string& db, const std::string& path, const ImportOptions& options = {}) {
  const auto file = import_one(db, path, options);
  return file ? "no error" : file.error().text();
}

std::int64_t rows_in(const std::string& db) {
  auto store = Store::open(db);
  if (!store) {
    ADD_FAILURE() << store.error().text();
    return -1;
  }
  const auto rows = check_everything(*store);
  if (!rows) ADD_FAILURE() << rows.error().text();
  return rows.value_or(-1);
}

std::string exported(const std::string& db, const MeasurementQuery& query = {}, const ExportOptions& options = {}) {
  auto store = Store::open(db);
  std::string text;
  const auto rows = export_measurements(*store, query, options, [&](std::string_view piece) -> Result<void> {
    text += piece;
    return {};
  });
  return rows ? text : rows.error().text();
}

// A table of so many GEMMs, all different.
std::string gemms(int rows, int first = 1) {
  std::string text = "op,gpu,precision,M,N,K,time_us,note\n";
  for (int i = first; i < first + rows; ++i) text += fmt::format("gemm,t4,fp16,{},128,64,{}.5,\"a, b\"\n", i, i);
  return text;
}

TEST(Import, ATableComesBackAsItWas) {
  const TestFolder folder;
  // A blank before a cell, an unknown and an unnamed column, equal rows, an op that is not predicted, a flagged row.
  const std::string table =
      "op,gpu,precision,M,N,K,batch,kind,gpus,bytes,time_us,mine,,flag\n"
      "gemm,t4,fp16, 128,128,64,1,,,,12.50,\"x, \"\"y\"\"\",1,\n"
      "gemm,t4,fp16, 128,128,64,1,,,,12.50,\"x, \"\"y\"\"\",1,\n"
      "collective,t4,fp16,,,,,all_gather,2,512,8.98,,,\n"
      "gemm,Tesla T4,half,256,128,64,1,,,,20,,,slow\n";
  const auto file = import_one(folder.file("s.db"), folder.write("t.csv", table));
  ASSERT_TRUE(file.has_value()) << file.error().text();
  EXPECT_EQ(file->rows, 4);
  EXPECT_EQ(file->added, 4);
  EXPECT_EQ(exported(folder.file("s.db")), table);
}

TEST(Import, TheSameRowsAddNothing) {
  const TestFolder folder;
  const std::string db = folder.file("s.db"), path = folder.write("t.csv", gemms(20));
  EXPECT_EQ(import_one(db, path, {.source = "first"})->added, 20);
  EXPECT_EQ(import_one(db, path, {.source = "first"})->added, 0);
  // From another file, in another order, with columns in another order and one more that is empty.
  EXPECT_EQ(import_one(db,
                       folder.write("u.csv",
                                    "time_us,K,N,M,op,precision,gpu,flag,note\n"
                                    "2.5,64,128,2,gemm,fp16,t4,,\"a, b\"\n1.5,64,128,1,gemm,fp16,t4,,\"a, b\"\n"
                                    "1.6,64,128,1,gemm,fp16,t4,,\"a, b\"\n"),
                       {.source = "second"})
                ->added,
            1);
  auto store = Store::open(db);
  const auto counts = count_measurements(*store);
  ASSERT_EQ(counts->size(), 2u);
  EXPECT_EQ((*counts)[0].origin.source, "first");
  EXPECT_EQ((*counts)[0].rows, 20);
  EXPECT_EQ((*counts)[1].origin.source, "second");
  EXPECT_EQ((*counts)[1].rows, 1);
}

TEST(Import, EqualRowsOfAFileAreKeptAsOftenAsItHasThem) {
  const TestFolder folder;
  const std::string db = folder.file("s.db"), header = "M,N,K,time_us\n", row = "1,2,3,4\n";
  EXPECT_EQ(import_one(db, folder.write("two.csv", header + row + row))->added, 2);
  EXPECT_EQ(import_one(db, folder.write("one.csv", header + row))->added, 0);
  EXPECT_EQ(import_one(db, folder.write("three.csv", header + row + row + row))->added, 1);
}

TEST(Import, FillsWhatRowsLack) {
  const TestFolder folder;
  const std::string db = folder.file("s.db");
  const std::string path = folder.write("t.csv", "M,N,K,gpu,time_us\n1,2,3,,4\n1,2,3,t4,4\n");
  ASSERT_TRUE(import_one(db, path, {.gpu = "p4", .precision = "fp16", .software = "cuBLAS", .date = "2026-01-31"}));
  EXPECT_EQ(exported(db), "M,N,K,gpu,time_us,precision,framework\n1,2,3,p4,4,fp16,cuBLAS\n1,2,3,t4,4,fp16,cuBLAS\n");
  EXPECT_EQ(exported(db, {.gpu = "t4"}, {.provenance = true}),
            "M,N,K,gpu,time_us,precision,framework,source,date\n1,2,3,t4,4,fp16,cuBLAS,,2026-01-31\n");
}

TEST(Import, AnExportWithProvenanceAddsNothingEither) {
  const TestFolder folder;
  const std::string db = folder.file("s.db");
  ASSERT_TRUE(import_one(db, folder.write("t.csv", gemms(5)), {.source = "lab", .date = "2026"}));
  const std::string again = folder.write("e.csv", exported(db, {}, {.provenance = true}));
  EXPECT_EQ(import_one(db, again)->added, 0);
}

TEST(Import, ProvenanceStandsInAColumnThatTheTableHas) {
  const TestFolder folder;
  const std::string db = folder.file("s.db");
  ASSERT_TRUE(import_one(db, folder.write("t.csv", "M,N,K,source,gpu,time_us\n1,2,3,paper,t4,4\n"), {.date = "2026"}));
  EXPECT_EQ(exported(db, {}, {.provenance = true}), "M,N,K,source,gpu,time_us,date\n1,2,3,paper,t4,4,2026\n");
  ASSERT_TRUE(import_one(db, folder.write("u.csv", "M,N,K,source,gpu,time_us\n1,2,4,paper,p4,4\n"), {.source = "lab"}));
  EXPECT_EQ(exported(db, {.gpu = "p4"}, {.provenance = true}), "M,N,K,source,gpu,time_us,date\n1,2,4,lab,p4,4,\n");
}

TEST(Import, ABadRowLeavesNothing) {
  const TestFolder folder;
  const std::string db = folder.file("s.db"), path = folder.write("t.csv", gemms(3) + "gemm,t4,fp16,x,1,1,1,\n" +
                                                                               "gemm,t4,fp16,9,1,1,,\ngemm,t4\n");
  EXPECT_THAT(import_error(db, path), HasSubstr("t.csv:5, column M: 'x' is not a whole number"));
  EXPECT_EQ(rows_in(db), 0);
  const auto file = import_one(db, path, {.skip_bad_rows = true});
  EXPECT_EQ(file->added, 3);
  EXPECT_EQ(file->unmeasured, 1);
  EXPECT_EQ(file->bad_row_count, 2);
  EXPECT_THAT(file->bad_rows[1].text(), HasSubstr("t.csv:7: 2 cells in a table of 8 columns"));
}

TEST(Import, ManyPiecesAreOneTable) {
  const TestFolder folder;
  const std::string table = gemms(20000);  // several blocks of the reader
  EXPECT_EQ(import_one(folder.file("s.db"), folder.write("t.csv", table))->added, 20000);
  EXPECT_EQ(exported(folder.file("s.db")), table);
}

TEST(Import, WhatIsNothingKnownIsSaid) {
  const TestFolder folder;
  EXPECT_THAT(import_error(folder.file("s.db"), folder.write("t.csv", "a,b\n1,2\n")),
              HasSubstr("t.csv: neither a layer table (a column op, "));
  EXPECT_THAT(import_error(folder.file("s.db"), folder.write("e.csv", " \n")), HasSubstr("the file is empty"));
  EXPECT_THAT(import_error(folder.file("s.db"), folder.file("none.csv")), HasSubstr("No such file"));
}

TEST(Import, CanBeInterrupted) {
  const TestFolder folder;
  const std::string db = folder.file("s.db"), path = folder.write("t.csv", gemms(20000));
  EXPECT_THAT(import_error(db, path, {.progress = [](double share) { return share < 0.5; }}),
              HasSubstr("stopped; nothing was stored"));
  EXPECT_EQ(rows_in(db), 0);
}

TEST(Import, TablesOfSeveralKindsAreReadAsEachWas) {
  const TestFolder folder;
  const std::string db = folder.file("s.db");
  ASSERT_TRUE(import_one(db, folder.write("g.csv", "M,N,K,gpu,time_us\n1,2,3,t4,4\n")));
  ASSERT_TRUE(import_one(db, folder.write("n.csv", "op,model,gpu,pass,batch,time_ms\nnetwork,vgg16,p4,step,8,5\n")));
  EXPECT_EQ(exported(db),
            "M,N,K,gpu,time_us,op,model,pass,batch,time_ms\n1,2,3,t4,4,gemm,,,,\n,,,p4,,network,vgg16,step,8,5\n");
  auto store = Store::open(db);
  const auto tables = measured_tables(*store, {});
  ASSERT_TRUE(tables.has_value()) << tables.error().text();
  ASSERT_EQ(tables->size(), 2u);
  EXPECT_EQ((*tables)[0].name(), folder.file("g.csv"));
  EXPECT_EQ((*tables)[0].table().columns.size(), 5u);
  EXPECT_EQ((*tables)[1].table().rows.at(0).measured.time, Seconds(0.005));
  EXPECT_EQ((*tables)[1].table().rows.at(0).line, 2u);
}

TEST(Import, QueriesChooseRows) {
  const TestFolder folder;
  const std::string db = folder.file("s.db");
  ASSERT_TRUE(import_one(db,
                         folder.write("t.csv",
                                      "op,M,N,K,gpu,precision,time_us\ngemm,1,2,3,Tesla T4,half,4\n"
                                      "gemm,2,2,3,p4,fp32,4\ngemm,3,2,3,t4,fp32,4\n"),
                         {.source = "lab"}));
  auto store = Store::open(db);
  const auto lines = [&](const MeasurementQuery& query) {
    std::vector<std::size_t> found;
    const auto read = for_each_measurement(*store, query, [&](const StoredMeasurement& row) -> Result<void> {
      found.push_back(row.line);
      return {};
    });
    EXPECT_TRUE(read.has_value());
    return found;
  };
  using Lines = std::vector<std::size_t>;
  const auto where = [](const char* text) { return MeasurementQuery{.where = Filter::parse(text).value()}; };
  EXPECT_EQ(lines({.gpu = "p4"}), Lines{3});
  EXPECT_EQ(lines({.op = "gemm", .precision = "fp32"}), (Lines{3, 4}));
  EXPECT_EQ(lines({.source = "nobody"}), Lines{});
  EXPECT_EQ(lines(where("precision = fp16 or M >= 3")), (Lines{2, 4}));
  EXPECT_EQ(lines(where("source = lab and gpu = p4")), Lines{3});
  const auto unknown = count_measurements(*store, where("precison = fp16"));
  ASSERT_FALSE(unknown.has_value());
  EXPECT_THAT(unknown.error().text(), HasSubstr("has a column 'precison'; did you mean 'precision'"));
}

TEST(Import, RemovedRowsAreGoneAndCanComeBack) {
  const TestFolder folder;
  const std::string db = folder.file("s.db"), path = folder.write("t.csv", gemms(10));
  ASSERT_TRUE(import_one(db, path));
  {
    auto store = Store::open(db, kWrite);
    EXPECT_EQ(remove_measurements(*store, {.where = Filter::parse("M > 4").value()}).value(), 6);
  }
  EXPECT_EQ(rows_in(db), 4);
  EXPECT_EQ(import_one(db, path)->added, 6);
}

// A version 1 store as the first program made it, with a measurement and a fitted model.
TEST(Migration, AFileOfVersion1IsBroughtUpToDateWithAllItHas) {
  const TestFolder folder;
  const std::string db = folder.file("s.db");
  {
    auto database = Database::open(db, db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    ASSERT_TRUE(database.has_value());
    ASSERT_TRUE(create_schema(**database, 1).has_value());
    ASSERT_TRUE((*database)->run("PRAGMA journal_mode = WAL").has_value());
    ASSERT_FALSE((*database)->run("SELECT * FROM prediction").has_value());
  }
  {
    // Tables of version 1 are unchanged since: today's writer fills them.
    auto database = Database::open(db, db, SQLITE_OPEN_READWRITE);
    ASSERT_TRUE((*database)
                    ->run("INSERT INTO fitted VALUES ('old', 'layers', 'rows', '', x'e3b0c44298fc1c149afbf4c8996f"
                          "b92427ae41e4649b934ca495991b7852b855', '')")
                    .has_value());
  }
  ASSERT_EQ(import_one(db, folder.write("t.csv", gemms(3)))->added, 3);
  auto store = Store::open(db);
  ASSERT_TRUE(store.has_value()) << store.error().text();
  EXPECT_EQ(store->database().integer("PRAGMA user_version").value(), schema_version());
  EXPECT_EQ(store->database().integer("SELECT count(*) FROM prediction").value(), 0);
  EXPECT_EQ(load_fitted(*store, "old").value().fitted_on, "rows");
  EXPECT_EQ(count_measurements(*store)->front().rows, 3);
}

// Runs `work` in a process of its own.
template <class Work>
pid_t in_child(const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    ::_exit(0);
  }
  return child;
}

// kill -9 at random moments of an import: either all of it is there or nothing, and the store is sound.
TEST(Import, KilledAtAnyMomentLeavesAllOrNothing) {
  const TestFolder folder;
  constexpr int kRows = 1000;
  const std::string path = folder.write("t.csv", gemms(kRows));
  const std::string before = folder.write("b.csv", gemms(10, 100000));
  constexpr int kKills = 40;
  std::mt19937 random(7);
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(import_one(folder.file("time.db"), path).has_value());
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start);
  int nothing = 0, everything = 0;
  for (int i = 0; i < kKills; ++i) {
    const std::string db = folder.file(fmt::format("{}.db", i));
    // Every other time the store is there before.
    const std::int64_t had = i % 2 == 0 ? 0 : import_one(db, before)->added;
    const pid_t child = in_child([&] { import_one(db, path).has_value(); });
    std::uniform_int_distribution<std::int64_t> moment(0, took.count() * 12 / 10);
    std::this_thread::sleep_for(std::chrono::microseconds(moment(random)));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    if (had == 0 && !std::filesystem::exists(db)) {
      ++nothing;
      continue;
    }
    const std::int64_t rows = rows_in(db);
    EXPECT_TRUE(rows == had || rows == had + kRows) << rows;
    ++(rows == had ? nothing : everything);
    // And it goes on from there.
    EXPECT_EQ(import_one(db, path)->added, had + kRows - rows);
    EXPECT_EQ(rows_in(db), had + kRows);
  }
  EXPECT_GT(nothing, 5) << "kills before the end";
}

TEST(Import, TwoProcessesMayWrite) {
  const TestFolder folder;
  const std::string db = folder.file("s.db");
  constexpr int kProcesses = 4, kImports = 5, kRows = 200;
  std::vector<pid_t> children;
  for (int process = 0; process < kProcesses; ++process) {
    children.push_back(in_child([&] {
      for (int i = 0; i < kImports; ++i) {
        const int first = (process * kImports + i) * kRows;
        const std::string path = folder.write(fmt::format("{}.csv", first), gemms(kRows, first + 1));
        if (!import_one(db, path)) ::_exit(1);
      }
    }));
  }
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  EXPECT_EQ(rows_in(db), kProcesses * kImports * kRows);
}

// What was measured and is brought along: each table comes back byte for byte.
TEST(Import, PublicMeasurementsComeBackAsTheyWere) {
  const std::filesystem::path root = "../shared/measurements";
  if (!std::filesystem::exists(root)) GTEST_SKIP() << "no ../shared/measurements";
  const TestFolder folder;
  for (const char* name : {"lambda/network.csv", "vidur/stream.csv", "deepbench/conv.csv", "deepbench/rnn.csv",
                           "nersc_v100_roofline/kernels.csv", "convnet_benchmarks/network_layer.csv",
                           "aiconfigurator/collective.csv", "neusight/network.csv"}) {
    const std::string db = folder.file("one.db"), path = (root / name).string();
    std::filesystem::remove(db);
    const auto file = import_one(db, path);
    ASSERT_TRUE(file.has_value()) << file.error().text();
    EXPECT_EQ(exported(db), TestFolder::read(path)) << name;
  }
}

}  // namespace
}  // namespace rooftile::store
