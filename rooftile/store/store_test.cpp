#include "rooftile/store/store.hpp"

#include <chrono>
#include <filesystem>
#include <string>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooftile/store/database.hpp"
#include "rooftile/store/fitted.hpp"
#include "rooftile/store/measurements.hpp"
#include "rooftile/store/predictions.hpp"
#include "rooftile/store/schema.hpp"
#include "rooftile/store/test_folder.hpp"

namespace rooftile::store {
namespace {

using testing::HasSubstr;

constexpr StoreOptions kWriteSoon = {.access = Access::write, .patience = std::chrono::milliseconds(100)};

// A store with so many measurements and a fitted model.
std::string small_store(const TestFolder& folder, int rows = 3) {
  std::string path = folder.file("s.db");
  auto store = Store::open(path, kWriteSoon);
  if (!store) {
    ADD_FAILURE() << store.error().text();
    return path;
  }
  auto writer = MeasurementWriter::begin(*store);
  writer->begin_file({"t.csv", "layer table", "me", "2026-01-31"}, {"op", "M", "N", "K", "gpu", "time_us"});
  for (int i = 1; i <= rows; ++i) {
    const std::vector<std::string> cells = {"gemm", std::to_string(i), "64", "64", "t4", "5.0"};
    EXPECT_TRUE(writer->add({"gemm", "t4", "fp32", "fwd", ""}, static_cast<std::size_t>(i) + 1, cells).value_or(false));
  }
  EXPECT_TRUE(writer->commit().has_value());
  EXPECT_TRUE(save_fitted(*store, {"one", "layers", "3 rows", "2026-01-31", "a = 1\n"}).has_value());
  return path;
}

std::string open_error(const std::string& path, const StoreOptions& options = {}) {
  const auto store = Store::open(path, options);
  return store ? "no error" : store.error().text();
}

// The first error of reading everything.
std::string error_of_reading(const std::string& path) {
  auto store = Store::open(path);
  if (!store) return store.error().text();
  if (auto sound = quick_check(*store); !sound) return sound.error().text();
  const auto read = for_each_measurement(*store, {}, [](const StoredMeasurement&) { return Result<void>(); });
  if (!read) return read.error().text();
  const auto model = load_fitted(*store, "one");
  return model ? "no error" : model.error().text();
}

TEST(Store, IsOneFileThatKeepsWhatWasAdded) {
  const TestFolder folder;
  const std::string path = small_store(folder);
  EXPECT_FALSE(std::filesystem::exists(path + "-wal"));
  auto store = Store::open(path);
  ASSERT_TRUE(store.has_value()) << store.error().text();
  const auto counts = count_measurements(*store);
  ASSERT_EQ(counts->size(), 1u);
  EXPECT_EQ(counts->front().rows, 3);
  EXPECT_EQ(counts->front().subject, (Subject{"gemm", "t4", "fp32", "fwd", ""}));
  EXPECT_EQ(counts->front().origin, (Origin{"t.csv", "layer table", "me", "2026-01-31"}));
}

TEST(Store, IsNotMadeByReading) {
  const TestFolder folder;
  EXPECT_THAT(open_error(folder.file("s.db")), HasSubstr("no store here; 'rooftile import' creates one"));
  EXPECT_FALSE(std::filesystem::exists(folder.file("s.db")));
}

TEST(Store, AFolderThatIsNotThereIsNamed) {
  const TestFolder folder;
  EXPECT_EQ(open_error(folder.file("none/s.db"), kWriteSoon),
            folder.file("none/s.db") + ": the folder for the store does not exist");
  EXPECT_THAT(open_error(folder.file("."), kWriteSoon), HasSubstr("is a directory"));
}

TEST(Store, WhatIsNoStoreIsRefusedAndLeftAsItIs) {
  const TestFolder folder;
  const std::string notes = folder.write("notes.txt", std::string(5000, 'x'));
  EXPECT_EQ(open_error(notes, kWriteSoon), notes + ": is not a rooftile store");
  EXPECT_EQ(TestFolder::read(notes), std::string(5000, 'x'));
  const std::string empty = folder.write("empty.db", "");
  EXPECT_THAT(open_error(empty, kWriteSoon), HasSubstr("is an empty file, not a store; remove it to begin a new one"));
  EXPECT_EQ(TestFolder::read(empty), "");

  const std::string other = folder.file("other.db");
  {
    auto database = Database::open(other, other, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    ASSERT_TRUE((*database)->run("CREATE TABLE t (a)").has_value());
  }
  const std::string before = TestFolder::read(other);
  EXPECT_THAT(open_error(other, kWriteSoon), HasSubstr("is a database of another program"));
  EXPECT_EQ(TestFolder::read(other), before);
}

// A view in the place of a table, or a trigger, would run whatever it says; here, without end.
TEST(Store, AForeignSchemaIsRefusedBeforeAnyQuery) {
  const std::string endless = "WITH RECURSIVE r (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM r) SELECT ";
  const std::string columns =
      "n AS id, n AS key, n AS copy, n AS layout, n AS origin, n AS subject, n AS line, n AS cells";
  const auto error_with = [&](const std::string& sql) {
    const TestFolder folder;
    const std::string path = small_store(folder);
    {
      auto database = Database::open(path, path, SQLITE_OPEN_READWRITE);
      EXPECT_TRUE((*database)->run(sql).has_value()) << sql;
    }
    return open_error(path).substr(path.size());
  };
  EXPECT_EQ(error_with("DROP TABLE measurement; CREATE VIEW measurement AS " + endless + columns + " FROM r"),
            ": is not a rooftile store: it has the view 'measurement'");
  EXPECT_EQ(error_with("CREATE TRIGGER t AFTER INSERT ON origin BEGIN DELETE FROM measurement; END"),
            ": is not a rooftile store: it has the trigger 't'");
  EXPECT_EQ(error_with("DROP TABLE fitted; CREATE TABLE fitted (name TEXT)"),
            ": is not a rooftile store: it has another table 'fitted'");
  EXPECT_EQ(error_with("DROP INDEX prediction_subject"),
            ": is not a rooftile store: it lacks the index 'prediction_subject'");
}

TEST(Store, ATruncatedFileIsReportedAtOnce) {
  const TestFolder folder;
  const std::string path = small_store(folder, 2000);
  const std::string whole = TestFolder::read(path);
  for (const std::size_t size : {whole.size() - 1, whole.size() / 2, std::size_t{4096}, std::size_t{50}}) {
    folder.write("s.db", whole.substr(0, size));
    EXPECT_THAT(open_error(path, kWriteSoon), HasSubstr("the store is damaged: it lacks")) << size;
    EXPECT_EQ(TestFolder::read(path), whole.substr(0, size));
  }
}

// Whatever byte of the file is changed: what is read is what was added, or the damage is reported. No crash.
TEST(Store, FlippedBytesAreReportedOrHarmless) {
  const TestFolder folder;
  const std::string path = small_store(folder, 300);
  const std::string whole = TestFolder::read(path);
  int reported = 0;
  constexpr std::size_t kStep = 97;
  for (std::size_t at = 0; at < whole.size(); at += kStep) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x15);
    folder.write("s.db", damaged);
    const std::string error = error_of_reading(path);
    if (error == "no error") continue;
    ++reported;
    EXPECT_THAT(error,
                testing::AnyOf(HasSubstr("damaged"), HasSubstr("is not a rooftile store"), HasSubstr("of version"),
                               HasSubstr("another program"), HasSubstr("no fitted model")))
        << at;
  }
  EXPECT_GT(reported, 20);
}

TEST(Store, ARowWithoutItsTableIsDamage) {
  const TestFolder folder;
  const std::string path = small_store(folder);
  {
    auto database = Database::open(path, path, SQLITE_OPEN_READWRITE);
    ASSERT_TRUE((*database)->run("UPDATE measurement SET layout = 999 WHERE id = 2").has_value());
  }
  EXPECT_THAT(error_of_reading(path), HasSubstr("the store is damaged: measurement 2 is not as it was added"));
}

// A condition that says which GPU reads no row of another: damage there is not its business.
TEST(Store, AConditionOnTheGpuOrOpReadsOnlyTheirRows) {
  const TestFolder folder;
  const std::string path = small_store(folder);
  auto store = Store::open(path, kWriteSoon);
  auto writer = MeasurementWriter::begin(*store);
  writer->begin_file({"k.csv", "layer table", "", ""}, {"op", "M", "N", "K", "gpu", "time_us"});
  const std::vector<std::string> cells = {"gemm", "1", "2", "3", "K80", "7.0"};
  ASSERT_TRUE(writer->add({"gemm", "k80", "fp32", "fwd", ""}, 2, cells).value_or(false));
  ASSERT_TRUE(writer->commit().has_value());
  ASSERT_TRUE(store->database().run("UPDATE measurement SET cells = 'gemm,1,2,3,K80,8.0' WHERE id = 4").has_value());
  const auto rows = [&](const std::string& where) -> std::string {
    int number = 0;
    const auto read = for_each_measurement(*store, {.where = *Filter::parse(where)}, [&](const StoredMeasurement&) {
      ++number;
      return Result<void>();
    });
    return read ? std::to_string(number) : "damaged";
  };
  EXPECT_EQ(rows("K = 64"), "damaged");
  EXPECT_EQ(rows("gpu = t4"), "3");
  EXPECT_EQ(rows("gpu = t4 and M >= 2"), "2");
  EXPECT_EQ(rows("not gpu = k80"), "3");
  EXPECT_EQ(rows("op = conv"), "0");
  EXPECT_EQ(rows("gpu = t4 or K = 3"), "damaged");
  MeasurementQuery about;
  about.about = [](const Subject& subject) { return subject.gpu == "t4"; };
  const auto tables = measured_tables(*store, about);
  ASSERT_TRUE(tables.has_value()) << tables.error().text();
  EXPECT_EQ(tables->size(), 1u);
}

TEST(Store, PredictionsAreRemovedByWhatTheyAre) {
  const TestFolder folder;
  auto store = Store::open(folder.file("s.db"), kWriteSoon);
  SavedPrediction one;
  one.model = "alexnet";
  one.gpu = "t4";
  one.precision = "fp32";
  one.time = Seconds(0.5);
  SavedPrediction two = one, three = one;
  two.gpu = "k80";
  three.batch_size = 64;
  three.time_low = Seconds(0.4);
  ASSERT_EQ(save_predictions(*store, std::vector{one, two, three}).value_or(0), 3);
  const auto removed = [&](PredictionQuery query, const std::string& where = {}) {
    if (!where.empty()) query.where = *Filter::parse(where);
    const auto number = remove_predictions(*store, query);
    return number ? std::to_string(*number) : number.error().text();
  };
  EXPECT_THAT(removed({}, "batch = 64"), HasSubstr("--where: character 1: a prediction has no 'batch'"));
  EXPECT_EQ(removed({.gpu = "p4"}), "0");
  EXPECT_EQ(removed({.gpu = "t4"}, "batch_size >= 64 and time_low_s < 0.45"), "1");
  EXPECT_EQ(*list_predictions(*store), (std::vector{one, two}));
  EXPECT_EQ(removed({.gpu = "k80", .precision = "fp32"}), "1");
  EXPECT_EQ(removed({}), "1");
  EXPECT_TRUE(list_predictions(*store)->empty());
}

TEST(Store, ACellThatWasChangedBehindItsBackIsDamage) {
  const TestFolder folder;
  const std::string path = small_store(folder);
  {
    auto database = Database::open(path, path, SQLITE_OPEN_READWRITE);
    ASSERT_TRUE((*database)->run("UPDATE measurement SET cells = 'gemm,2,64,64,t4,6.0' WHERE id = 2").has_value());
  }
  EXPECT_THAT(error_of_reading(path), HasSubstr("the store is damaged: measurement 2 is not as it was added"));
}

TEST(Store, AFileOfANewerProgramIsRefused) {
  const TestFolder folder;
  const std::string path = small_store(folder);
  {
    auto database = Database::open(path, path, SQLITE_OPEN_READWRITE);
    ASSERT_TRUE((*database)->run("PRAGMA user_version = 1000").has_value());
  }
  EXPECT_THAT(open_error(path, kWriteSoon),
              HasSubstr("the store is of version 1000, and this program knows versions up to"));
}

TEST(Store, ALockedStoreIsSaidToBe) {
  const TestFolder folder;
  const std::string path = small_store(folder);
  auto first = Store::open(path, kWriteSoon), second = Store::open(path, kWriteSoon);
  ASSERT_TRUE(first && second);
  const auto writer = MeasurementWriter::begin(*first);
  ASSERT_TRUE(writer.has_value());
  const auto refused = MeasurementWriter::begin(*second);
  ASSERT_FALSE(refused.has_value());
  EXPECT_THAT(refused.error().text(), HasSubstr("another program is writing to the store"));
  EXPECT_EQ(count_measurements(*second)->size(), 1u) << "readers do not wait";
}

// What `check` gives in a process that may not write here; root may always.
template <class Check>
bool holds_for_nobody(const Check& check) {
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr uid_t kNobody = 65534;
    if (::getuid() == 0 && ::setuid(kNobody) != 0) ::_exit(2);
    ::_exit(check() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(Store, IsReadWhereNothingMayBeWritten) {
  const TestFolder folder;
  const std::string path = small_store(folder);
  ::chmod(path.c_str(), 0444);
  ::chmod(folder.file(".").c_str(), 0555);
  EXPECT_TRUE(holds_for_nobody([&] {
    auto store = Store::open(path);
    return store && count_measurements(*store)->size() == 1 && quick_check(*store);
  }));
  EXPECT_TRUE(holds_for_nobody([&] {
    auto store = Store::open(path, kWriteSoon);
    if (!store) return store.error().text() == path + ": the store cannot be written to";
    const auto writer = MeasurementWriter::begin(*store);
    return !writer && writer.error().text() == path + ": the store cannot be written to";
  }));
  EXPECT_TRUE(holds_for_nobody([&] {
    const auto made = Store::open(folder.file("new.db"), kWriteSoon);
    return !made && made.error().text() == folder.file("new.db") + ": Permission denied";
  }));
}

TEST(Store, AFullDiskLeavesItAsItWas) {
  const TestFolder folder;
  const std::string path = small_store(folder);
  auto store = Store::open(path, kWriteSoon);
  ASSERT_TRUE(store.has_value());
  // SQLite's own limit stands for the disk's.
  ASSERT_TRUE(store->database().integer("PRAGMA max_page_count = 30").has_value());
  Result<void> result;
  {
    auto writer = MeasurementWriter::begin(*store);
    writer->begin_file({"big.csv", "layer table", "", ""}, {"op", "M", "N", "K", "gpu", "time_us"});
    for (int i = 0; i < 10000 && result; ++i) {
      const std::vector<std::string> cells = {"gemm", std::to_string(i), "8", "8", "t4", "1"};
      const auto added = writer->add({"gemm", "t4", "fp32", "fwd", ""}, 1, cells);
      if (!added) result = tl::unexpected(added.error());
    }
  }
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().text(), path + ": the disk is full; nothing was stored");
  EXPECT_EQ(count_measurements(*store)->front().rows, 3);
  EXPECT_EQ(error_of_reading(path), "no error");
}

TEST(Fitted, ComeBackAsTheyWereSaved) {
  const TestFolder folder;
  auto store = Store::open(folder.file("s.db"), kWriteSoon);
  const FittedModel model{"m6000", "layers", "264 rows, quadro-m6000", "2018-05-01", std::string("a\0b\n", 4)};
  ASSERT_TRUE(save_fitted(*store, model).has_value());
  EXPECT_EQ(load_fitted(*store, "m6000").value(), model);
  EXPECT_THAT(save_fitted(*store, model).error().text(), HasSubstr("a fitted model named 'm6000' already"));
  EXPECT_TRUE(save_fitted(*store, model, true).has_value());
  EXPECT_THAT(load_fitted(*store, "m600").error().text(), HasSubstr("no fitted model named 'm600'; did you mean"));
  ASSERT_EQ(list_fitted(*store)->size(), 1u);
  EXPECT_EQ(list_fitted(*store)->front().text, "");
  EXPECT_TRUE(remove_fitted(*store, "m6000").has_value());
  EXPECT_FALSE(remove_fitted(*store, "m6000").has_value());
  EXPECT_FALSE(save_fitted(*store, {"", "layers", "", "", ""}).has_value());
}

}  // namespace
}  // namespace rooftile::store
