// The charts: what each puts on its axes, its marks, and the lines behind them. A mark is a kernel at a level; a line is
// {points, style, label}, with style roof, balance, contour or box. Values are in base units.

// The rates that kernels of the table have as their roof, the highest first.
function usedPeaks(table) {
  const used = new Set(table.peak);
  return table.peaks.filter((_, place) => used.has(place)).sort((a, b) => b.rate - a.rate);
}

// Decades that cross a range of ratios.
function decades(low, high) {
  const found = [];
  for (let power = Math.ceil(Math.log10(low)); power <= Math.floor(Math.log10(high)); power++) found.push(10 ** power);
  return found;
}

// y = ratio x, from end to end of the axes.
const diagonal = (ratio, {x}) => [[x[0], ratio * x[0]], [x[1], ratio * x[1]]];

function balanceLines(table, level, axes, ratioOf) {
  return usedPeaks(table).map((peak) => ({
    points: diagonal(ratioOf(peak), axes), style: 'balance',
    label: `balance of ${peak.name}: ${formatIntensity(peak.rate / table.levels[level].bandwidth)}`,
  }));
}

function intensityLines(axes) {
  const {x, y} = axes;
  return decades(y[0] / x[1], y[1] / x[0]).map((intensity) => ({
    points: diagonal(intensity, axes), style: 'contour', label: `${plain(intensity)} FLOP/B`,
  }));
}

// The work that fits into one launch's overhead.
function workBox(table, level, axes) {
  const overhead = table.overheadOfLaunch, peak = usedPeaks(table)[0];
  if (!(overhead > 0) || !peak) return [];
  const bytes = overhead * table.levels[level].bandwidth, flops = overhead * peak.rate;
  return [{points: [[axes.x[0], flops], [bytes, flops], [bytes, axes.y[0]]], style: 'box', label: 'overhead of one launch'}];
}

function rooflines(table, levels) {
  const peaks = usedPeaks(table);
  if (!peaks.length) return () => [];
  return ({x}) => {
    const lines = levels.map((level) => {
      const {name, bandwidth} = table.levels[level], ridge = peaks[0].rate / bandwidth;
      return {points: [[x[0], x[0] * bandwidth], [ridge, peaks[0].rate]], style: 'roof',
        label: `${name} ${formatBandwidth(bandwidth)}`, labelAt: 'start'};
    });
    const start = Math.min(...levels.map((level) => peaks[0].rate / table.levels[level].bandwidth));
    for (const peak of peaks) {
      const from = start * peak.rate / peaks[0].rate;
      lines.push({points: [[from, peak.rate], [Math.max(x[1], from), peak.rate]], style: 'roof',
        label: `${peak.name} ${formatRate(peak.rate)}`, labelAt: 'end'});
    }
    return lines;
  };
}

const CHARTS = [
  {
    key: 'complexity', name: 'Complexity', levels: 'one',
    reading: 'The work of each layer: what it computes against what it moves. Diagonals join equal arithmetic intensity; ' +
      'above the balance arithmetic takes longer at best, below it the bytes. Work inside the dashed box takes less than launching a kernel.',
    axes: (table, level) => ({
      x: {title: `bytes moved at ${table.levels[level].name}`, unit: 'B'}, y: {title: 'FLOPs', unit: 'FLOP'},
    }),
    mark: (point) => [point.bytes, point.flops],
    lines: (table, level) => (axes) => [...intensityLines(axes),
      ...balanceLines(table, level, axes, (peak) => peak.rate / table.levels[level].bandwidth), ...workBox(table, level, axes)],
    include: () => [],
  },
  {
    key: 'time', name: 'Time', levels: 'one',
    reading: 'The same layers by time: the longer side is the run time, the other what the shorter of arithmetic and bytes would ' +
      'take at the same efficiency. The L-shaped contours join equal run times; inside the dashed box the launch of one kernel takes longer.',
    axes: (table, level) => ({
      x: {title: `bandwidth time at ${table.levels[level].name}`, unit: 's'}, y: {title: 'compute time', unit: 's'},
    }),
    mark: (point) => [point.bandwidthTime, point.computeTime],
    lines: (table) => ({x, y}) => {
      const contours = decades(Math.max(x[0], y[0]), Math.min(x[1], y[1])).map((time) => ({
        points: [[time, y[0]], [time, time], [x[0], time]], style: 'contour', label: formatTick(time, 's'), labelAt: 'corner',
      }));
      const overhead = table.overheadOfLaunch;
      const box = overhead > 0 ?
        [{points: [[overhead, y[0]], [overhead, overhead], [x[0], overhead]], style: 'box', label: 'overhead of one launch'}] : [];
      return [...contours, {points: diagonal(1, {x}), style: 'balance', label: 'balance'}, ...box];
    },
    include: () => [],
  },
  {
    key: 'combined', name: 'Combined', levels: 'one',
    reading: 'Both at once: a filled mark is the work, the ring at the other end of its line is the time, on axes scaled by the ' +
      'roof. The longer the line, the further the layer is from what the roof allows.',
    axes: (table, level) => {
      const peak = usedPeaks(table)[0], {name, bandwidth} = table.levels[level];
      return {
        x: {title: `bytes moved at ${name}`, unit: 'B', otherTitle: `bandwidth time at ${name}`, otherUnit: 's', otherRate: bandwidth},
        y: {title: 'FLOPs', unit: 'FLOP', otherTitle: peak && `compute time at ${peak.name}`, otherUnit: 's', otherRate: peak && peak.rate},
      };
    },
    mark: (point) => [point.bytes, point.flops],
    // On the diagonal of the work, as far along it as the time is longer than the roof's.
    end: (point) => [point.bytes * point.gap, point.flops * point.gap],
    lines: (table, level) => (axes) => [...balanceLines(table, level, axes, (peak) => peak.rate / table.levels[level].bandwidth),
      ...workBox(table, level, axes)],
    include: () => [],
  },
  {
    key: 'classic', name: 'Classic', levels: 'one',
    reading: 'FLOPs a second against FLOPs a byte. The slanted roof is bandwidth, the flat ones are arithmetic; the distance ' +
      'to the roof is what is left to win. A larger mark takes more of the time.',
    axes: (table, level) => ({
      x: {title: `arithmetic intensity at ${table.levels[level].name}, FLOP/B`, unit: null}, y: {title: 'performance', unit: 'FLOP/s'},
    }),
    mark: (point, time) => [point.intensity, point.flops / time],
    needsWork: true,
    lines: (table, level) => rooflines(table, [level]),
    include: (table, level) => usedPeaks(table).map((peak) => [peak.rate / table.levels[level].bandwidth, peak.rate]),
  },
  {
    key: 'hierarchical', name: 'Hierarchical', levels: 'all',
    reading: 'Each layer once for every memory level, all at the same height. The mark nearest to its own roof is the level that limits; ' +
      'marks close together mean little reuse between the levels.',
    axes: () => ({x: {title: 'arithmetic intensity, FLOP/B', unit: null}, y: {title: 'performance', unit: 'FLOP/s'}}),
    mark: (point, time) => [point.intensity, point.flops / time],
    needsWork: true,
    lines: (table) => rooflines(table, table.levels.map((_, level) => level)),
    include: (table) => usedPeaks(table).flatMap((peak) => table.levels.map(({bandwidth}) => [peak.rate / bandwidth, peak.rate])),
  },
];

// The marks of a chart, column by column: kernel, series, x, y, and endX, endY for the combined one. `missing` counts
// kernels that have no place on it.
function marksOf(chart, table, level, colourBy) {
  const levels = chart.levels === 'all' ? table.levels.map((_, place) => place) : [level];
  const most = table.count * levels.length;
  const marks = {count: 0, missing: 0, kernel: new Uint32Array(most), series: new Uint8Array(most), x: new Float64Array(most),
    y: new Float64Array(most)};
  if (chart.end) Object.assign(marks, {endX: new Float64Array(most), endY: new Float64Array(most)});
  let of = null;
  if (chart.levels === 'all') {
    marks.names = table.levels.map(({name}, place) => {
      const colour = LEVEL_COLOURS[name] ?? place;
      return {name, colour: seriesColour(colour), shape: SHAPES[colour]};
    });
  } else {
    ({series: marks.names, of} = categories(table, colourBy, level));
  }
  // The longest first: what is drawn later, on top, is small.
  for (const kernel of table.longest()) {
    let drawn = false;
    for (const [place, at] of levels.entries()) {
      const point = table.point(kernel, at);
      if (!point || (chart.needsWork && !(point.flops > 0 && point.bytes > 0))) continue;
      const mark = marks.count++;
      [marks.x[mark], marks.y[mark]] = chart.mark(point, table.time[kernel]);
      if (chart.end) [marks.endX[mark], marks.endY[mark]] = chart.end(point);
      marks.kernel[mark] = kernel;
      marks.series[mark] = of ? of[kernel] : place;
      drawn = true;
    }
    if (!drawn) marks.missing++;
  }
  return marks;
}
