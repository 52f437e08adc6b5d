#include "rooftile/simulate/addresses.hpp"

#include <algorithm>

#include "rooftile/simulate/whole.hpp"

namespace rooftile {

// Collects the elements that one warp touches, in ascending order, into sectors of lines. Sectors that neighbours share
// count once a request.
class Coalescer {
 public:
  Coalescer(const Granularity& granularity, Accesses& result) : granularity_(granularity), result_(result) {}

  void start_request() { fresh_ = true; }

  // Elements that follow are of that warp; another warp than before starts a request.
  void continue_in(std::int64_t warp) {
    if (warp != warp_) start_request();
    warp_ = warp;
  }

  void add_element(std::int64_t element) {
    add_sector(static_cast<std::uint64_t>(element) >> granularity_.sector_shift);
  }

  // Elements from `first` to `last`, inclusive, `stride` apart.
  void add(std::int64_t first, std::int64_t last, std::int64_t stride) {
    if (stride > std::int64_t{1} << granularity_.sector_shift) {
      for (std::int64_t element = first; element <= last; element += stride) add_element(element);
      return;
    }
    const std::uint64_t from = static_cast<std::uint64_t>(first) >> granularity_.sector_shift;
    const std::uint64_t to = static_cast<std::uint64_t>(last) >> granularity_.sector_shift;
    for (std::uint64_t sector = from; sector <= to;) sector = add_line(sector, to);
  }

 private:
  void add_sector(std::uint64_t sector) { add_line(sector, sector); }

  // The sectors from `from` to `to` that lie in the line of `from`; returns the first sector beyond the line.
  std::uint64_t add_line(std::uint64_t from, std::uint64_t to) {
    const std::uint64_t line = from >> granularity_.line_shift;
    const std::uint64_t next = (line + 1) << granularity_.line_shift;
    const std::uint64_t base = line << granularity_.line_shift;
    const std::uint64_t end = std::min(to + 1, next);
    const unsigned mask = (1U << (end - base)) - (1U << (from - base));
    if (!fresh_ && result_.back().line == line) {
      result_.back().mask |= mask;
    } else {
      result_.push_back({line, mask});
      fresh_ = false;
    }
    return next;
  }

  Granularity granularity_;
  Accesses& result_;
  bool fresh_ = true;
  std::int64_t warp_ = -1;
};

namespace {

constexpr std::int64_t kWarp = 32;

std::int64_t volume(const std::array<std::int64_t, 3>& axes) { return axes[0] * axes[1] * axes[2]; }

std::int64_t aligned(std::int64_t element) {
  constexpr std::int64_t kAlignment = 256;
  return (element + kAlignment - 1) / kAlignment * kAlignment;
}

// Outputs along one axis whose tap lies inside the input, of `count` whose first tap is at `first`.
struct Range {
  std::int64_t from = 0, to = 0;
};
Range inside_range(std::int64_t first, std::int64_t stride, std::int64_t count, std::int64_t in) {
  const std::int64_t from = first >= 0 ? 0 : (-first + stride - 1) / stride;
  const std::int64_t to = first >= in ? 0 : (in - first + stride - 1) / stride;
  return {from, std::min(to, count)};
}

}  // namespace

Addresses::Addresses(const Im2col& gemm, const Tile& tile, const Granularity& granularity)
    : in_channels_(whole(gemm.in_channels)),
      out_channels_(whole(gemm.out_channels)),
      groups_(whole(gemm.groups)),
      in_(whole(gemm.in)),
      pad_(whole(gemm.pad)),
      filter_(whole(gemm.filter)),
      dilation_(whole(gemm.dilation)),
      stride_(whole(gemm.stride)),
      out_(whole(gemm.out)),
      m_(whole(gemm.m)),
      n_(whole(gemm.n)),
      k_(whole(gemm.k)),
      in_volume_(volume(in_)),
      out_volume_(volume(out_)),
      taps_(volume(filter_)),
      tile_(tile),
      granularity_(granularity) {
  // Neighbouring axes along which every position is used once are one axis in memory: longer stretches, same addresses.
  constexpr std::size_t kWidth = 2;
  const auto plain = [this](std::size_t axis) {
    return filter_[axis] == 1 && stride_[axis] == 1 && pad_[axis] == 0 && in_[axis] == out_[axis];
  };
  for (std::size_t axis = kWidth; axis-- > 0 && plain(kWidth) && plain(axis);) {
    in_[kWidth] *= in_[axis];
    out_[kWidth] *= out_[axis];
    in_[axis] = out_[axis] = 1;
  }
  filters_at_ = aligned(whole(gemm.batch) * groups_ * in_channels_ * in_volume_);
  outputs_at_ = filters_at_ + aligned(groups_ * n_ * k_);
  end_ = static_cast<double>(outputs_at_) + gemm.m * gemm.n * gemm.groups;
}

void Addresses::stretches(const CtaPlace& place, std::vector<Stretch>& result) const {
  result.clear();
  const std::int64_t begin = place.row * tile_.m;
  const std::int64_t end = std::min(begin + tile_.m, m_);
  for (std::int64_t row = begin; row < end;) {
    const std::int64_t sample = row / out_volume_;
    const std::int64_t position = row % out_volume_;
    const std::int64_t column = position % out_[2];
    const std::int64_t line = position / out_[2];
    const std::int64_t warp_end = begin + ((row - begin) / kWarp + 1) * kWarp;
    Stretch stretch;
    stretch.sample = (sample * groups_ + place.group) * in_channels_ * in_volume_;
    stretch.first = {line / out_[1] * stride_[0] - pad_[0], line % out_[1] * stride_[1] - pad_[1],
                     column * stride_[2] - pad_[2]};
    stretch.count = std::min({out_[2] - column, warp_end - row, end - row});
    stretch.starts_warp = (row - begin) % kWarp == 0;
    result.push_back(stretch);
    row += stretch.count;
  }
}

void Addresses::taps(std::int64_t step, std::vector<Tap>& result) const {
  result.clear();
  const std::int64_t end = std::min((step + 1) * tile_.k, k_);
  for (std::int64_t k = step * tile_.k; k < end; ++k) {
    const std::int64_t tap = k % taps_;
    const std::int64_t line = tap / filter_[2];
    result.push_back({.offset = k / taps_ * in_volume_,
                      .shift = {line / filter_[1] * dilation_[0], line % filter_[1] * dilation_[1],
                                tap % filter_[2] * dilation_[2]}});
  }
}

bool Addresses::inside(const Stretch& stretch, const Tap& tap) const {
  const auto within = [&](std::size_t axis) {
    const std::int64_t at = stretch.first[axis] + tap.shift[axis];
    return at >= 0 && at < in_[axis];
  };
  return within(0) && within(1);
}

void Addresses::load_stretch(const Stretch& stretch, const Tap& tap, Coalescer& coalescer) const {
  if (!inside(stretch, tap)) return;
  const std::int64_t first = stretch.first[2] + tap.shift[2];
  const Range range = inside_range(first, stride_[2], stretch.count, in_[2]);
  if (range.from >= range.to) return;
  const std::int64_t line = stretch.sample + tap.offset +
                            ((stretch.first[0] + tap.shift[0]) * in_[1] + stretch.first[1] + tap.shift[1]) * in_[2];
  coalescer.add(line + first + range.from * stride_[2], line + first + (range.to - 1) * stride_[2], stride_[2]);
}

void Addresses::load_activations(const std::vector<Stretch>& stretches, const std::vector<Tap>& taps,
                                 Accesses& result) const {
  result.clear();
  Coalescer coalescer(granularity_, result);
  if (out_volume_ > 1) {
    for (const Tap& tap : taps) {
      for (const Stretch& stretch : stretches) {
        if (stretch.starts_warp) coalescer.start_request();
        load_stretch(stretch, tap, coalescer);
      }
    }
    return;
  }
  // One output position a sample: neighbouring threads take neighbouring steps of the reduction.
  std::int64_t row_thread = 0;
  for (const Stretch& stretch : stretches) {
    std::int64_t thread = row_thread;
    for (const Tap& tap : taps) {
      coalescer.continue_in(thread++ / kWarp);
      load_stretch(stretch, tap, coalescer);
    }
    row_thread += tile_.k;
  }
}

void Addresses::load_filters(const CtaPlace& place, std::int64_t step, Accesses& result) const {
  result.clear();
  Coalescer coalescer(granularity_, result);
  const std::int64_t begin = place.column * tile_.n;
  const std::int64_t rows = std::min<std::int64_t>(tile_.n, n_ - begin);
  const std::int64_t first = step * tile_.k;
  const std::int64_t depth = std::min<std::int64_t>(tile_.k, k_ - first);
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t element = filters_at_ + (place.group * n_ + begin + row) * k_ + first;
    for (std::int64_t k = 0; k < depth;) {
      const std::int64_t thread = row * tile_.k + k;
      coalescer.continue_in(thread / kWarp);
      const std::int64_t count = std::min(depth - k, kWarp - thread % kWarp);
      coalescer.add(element + k, element + k + count - 1, 1);
      k += count;
    }
  }
}

void Addresses::store_outputs(const CtaPlace& place, Accesses& result) const {
  result.clear();
  Coalescer coalescer(granularity_, result);
  const std::int64_t begin = place.row * tile_.m;
  const std::int64_t end = std::min(begin + tile_.m, m_);
  const std::int64_t columns = std::min((place.column + 1) * tile_.n, n_);
  const auto element = [&](std::int64_t row, std::int64_t column) {
    const std::int64_t channel = (row / out_volume_ * groups_ + place.group) * out_channels_ + column;
    return outputs_at_ + channel * out_volume_ + row % out_volume_;
  };
  if (out_volume_ == 1) {  // neighbouring threads store neighbouring channels
    for (std::int64_t row = begin; row < end; ++row) {
      for (std::int64_t column = place.column * tile_.n; column < columns; column += kWarp) {
        coalescer.start_request();
        coalescer.add(element(row, column), element(row, std::min(column + kWarp, columns) - 1), 1);
      }
    }
    return;
  }
  for (std::int64_t column = place.column * tile_.n; column < columns; ++column) {
    for (std::int64_t row = begin; row < end;) {
      if ((row - begin) % kWarp == 0) coalescer.start_request();
      const std::int64_t in_warp = kWarp - (row - begin) % kWarp;
      const std::int64_t count = std::min({in_warp, end - row, out_volume_ - row % out_volume_});
      coalescer.add(element(row, column), element(row, column) + count - 1, 1);
      row += count;
    }
  }
}

}  // namespace rooftile
