#include "rooftile/explore/results_bytes.hpp"

#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "rooftile/explore/bytes.hpp"

namespace rooftile {
namespace {

constexpr std::string_view kSchema = "rooftile/explore-results/1";
constexpr std::size_t kDesignBytes = sizeof(std::uint64_t) * (2 + kBottlenecks + kCosts + kParameters);

void write(ByteWriter& bytes, std::span<const std::uint64_t> numbers) {
  for (const std::uint64_t number : numbers) bytes.u64(number);
}

void write(ByteWriter& bytes, std::span<const double> numbers) {
  for (const double number : numbers) bytes.f64(number);
}

void write(ByteWriter& bytes, std::span<const RankedDesign> designs) {
  bytes.u64(designs.size());
  for (const RankedDesign& design : designs) {
    bytes.u64(design.index);
    bytes.f64(design.time);
    write(bytes, std::span<const double>(design.shares));
    write(bytes, std::span<const double>(design.costs));
    write(bytes, std::span<const double>(design.point));
  }
}

void read(ByteReader& bytes, std::span<std::uint64_t> numbers) {
  for (std::uint64_t& number : numbers) number = bytes.u64();
}

// Whether each is a time, or how much of one.
bool read(ByteReader& bytes, std::span<double> numbers) {
  bool possible = true;
  for (double& number : numbers) {
    number = bytes.f64();
    possible = possible && number >= 0;
  }
  return possible;
}

// Into what keeps designs; false where one cannot be of the space.
template <class Designs>
bool read(ByteReader& bytes, const DesignSpace& space, Designs& designs) {
  const std::size_t count = bytes.count(kDesignBytes);
  for (std::size_t i = 0; i < count; ++i) {
    RankedDesign design;
    design.index = bytes.u64();
    design.time = bytes.f64();
    const bool numbers = read(bytes, design.shares) && read(bytes, design.costs) && read(bytes, design.point);
    if (!numbers || design.index >= space.size() || !std::isfinite(design.time) || design.time < 0) return false;
    designs.add(design);
  }
  return bytes.ok();
}

bool adds_up(const ExploreResults& results, const DesignSpace& space) {
  std::uint64_t left = results.designs, fit = results.unfit[0];
  if (left > space.size()) return false;
  for (const std::uint64_t count : results.unfit) {
    if (count > left) return false;
    left -= count;
  }
  for (const std::uint64_t count : results.limited) {
    if (count > fit) return false;
    fit -= count;
  }
  return left == 0 && fit == 0;
}

}  // namespace

std::string results_bytes(const ExploreResults& results) {
  ByteWriter bytes;
  bytes.text(kSchema);
  bytes.u64(results.designs);
  write(bytes, results.unfit);
  write(bytes, results.limited);
  write(bytes, results.share_sums);
  write(bytes, results.best.designs());
  write(bytes, results.pareto.designs());
  const std::span<const double> cells = results.heat_map ? results.heat_map->cells() : std::span<const double>();
  bytes.u64(cells.size());
  write(bytes, cells);
  return sealed(bytes.bytes());
}

Result<ExploreResults> read_results(std::string_view bytes, const DesignSpace& space, const ResultOptions& options) {
  const auto wrong = [] { return fail(ErrorCode::bad_input, "results of an exploration that cannot be read"); };
  const auto content = unsealed(bytes);
  if (!content) return wrong();
  ByteReader reader(*content);
  if (reader.text() != kSchema) return wrong();
  ExploreResults results(space, options);
  results.designs = reader.u64();
  read(reader, results.unfit);
  read(reader, results.limited);
  read(reader, results.share_sums);
  if (!read(reader, space, results.best) || !read(reader, space, results.pareto)) return wrong();
  std::vector<double> cells(reader.count(sizeof(double)));
  if (cells.size() != (results.heat_map ? results.heat_map->cells().size() : 0)) return wrong();
  if (!read(reader, cells) || !reader.ended() || !adds_up(results, space)) return wrong();
  if (results.heat_map) results.heat_map->merge(cells);
  return results;
}

}  // namespace rooftile
