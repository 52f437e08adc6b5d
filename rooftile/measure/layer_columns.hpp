// A layer as cells of a layer table (docs/formats.md, docs/measuring.md): one table for each kind of op.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "rooftile/measure/layer_case.hpp"
#include "rooftile/measure/layer_runner.hpp"

namespace rooftile::measure {

// The names of the column `op`, in the order of CaseOp; a table NAME.csv each.
inline constexpr std::array<std::string_view, std::variant_size_v<CaseOp>> kTables = {"conv", "gemm", "attention",
                                                                                      "rnn", "stream"};

std::string_view name_of(Layout layout);

// Whether the L2 is cold or warm when a timed run begins.
enum class L2State { cold, warm };
std::string_view name_of(L2State state);

struct Cell {
  std::string_view column;
  std::string text;
};

// What makes a case the one that it is: `op`, its geometry, precision, pass, layout, the algorithm asked for, and the
// state of the L2.
std::vector<Cell> identity_cells(const LayerCase& layer, L2State l2);

// The same as one text: "gemm batch=1 M=4096 …"; cells that are empty are left out.
std::string key_of(const LayerCase& layer, L2State l2);

// What is the same for all rows of a run.
struct RowContext {
  std::string gpu;  // the catalogue's id
  L2State l2 = L2State::cold;
  std::string date, driver;
  std::string cudnn, cublas;  // versions
  std::string version;        // of rooftile-measure
};

// All columns of the table of `kTables[table]`.
std::vector<std::string> columns_of(std::size_t table);

// One row under those columns. Counters are left empty.
std::vector<std::string> row_of(const LayerCase& layer, const LayerTiming& timing, const RowContext& context);

// The keys of rows that were written under columns_of(table).
std::vector<std::string> keys_of(std::size_t table, const std::vector<std::vector<std::string>>& rows);

}  // namespace rooftile::measure
