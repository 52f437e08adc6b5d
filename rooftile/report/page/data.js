// A view of the data block: kernels column by column, and what follows from them. The formulas are those of the
// time-based Roofline (docs/roofline.md): F FLOPs, Q bytes, n launches, t the time, P the peak rate, B the bandwidth.

const UNKNOWN = -1;  // in a column of places

class KernelTable {
  constructor(raw) {
    this.raw = raw;
    const columns = raw.kernels;
    this.strings = raw.strings;
    this.folded = null;  // strings in lower case, for the search
    this.count = columns.time_s.length;
    this.levels = raw.roof.levels;
    this.peaks = raw.roof.peaks;
    this.overheadOfLaunch = raw.roof.launch_overhead_s;
    this.startLevel = raw.level;
    // null becomes NaN: not known.
    const numbers = (column) => Float64Array.from(column, (value) => (value === null ? NaN : value));
    this.time = numbers(columns.time_s);
    this.low = columns.time_low_s && numbers(columns.time_low_s);
    this.high = columns.time_high_s && numbers(columns.time_high_s);
    this.launches = numbers(columns.launches);
    this.flops = numbers(columns.flops);
    this.bytes = columns.bytes.map(numbers);
    this.peak = Int8Array.from(columns.peak);
    this.places = {};
    for (const key of ['name', 'layer', 'op', 'pass', 'origin']) this.places[key] = Int32Array.from(columns[key]);
    this.limits = raw.limits;
    this.limit = Int8Array.from(columns.limit);
    this.cases = raw.limits.map((_, at) => columns.cases[at] && numbers(columns.cases[at]));
    this.hasCases = this.cases.some((column) => column && column.length > 0);
    this.extra = raw.extra_columns.map(({title, key, values}) => ({title, key, places: Int32Array.from(values)}));
    this.totals = new Map();  // time by origin
    for (let i = 0; i < this.count; i++) {
      const origin = this.places.origin[i];
      this.totals.set(origin, (this.totals.get(origin) || 0) + this.time[i]);
    }
  }

  text(key, i) {
    const place = this.places[key][i];
    return place === UNKNOWN ? '' : this.strings[place];
  }

  has(key) {
    return this.places[key].some((place) => place !== UNKNOWN && this.strings[place] !== '');
  }

  name(i) {
    return this.text('name', i);
  }

  // What to call kernel i in charts: with its pass where that is a gradient, a measured one by the layer that it carries
  // out, where that is known.
  label(i) {
    const name = this.name(i), layer = this.text('layer', i), pass = this.text('pass', i);
    const title = pass && pass !== 'fwd' ? `${name} ${pass}` : name;
    return layer && !name.startsWith(layer) ? `${layer}: ${title}` : title;
  }

  share(i) {
    return this.time[i] / this.totals.get(this.places.origin[i]);
  }

  // Where kernel i stands at a level, or null where its bytes, FLOPs or roof are not known.
  point(i, level) {
    const flops = this.flops[i], bytes = this.bytes[level][i], peak = this.peaks[this.peak[i]];
    if (!peak || Number.isNaN(flops) || Number.isNaN(bytes)) return null;
    const bandwidth = this.levels[level].bandwidth, time = this.time[i];
    const balance = peak.rate / bandwidth;
    const intensity = flops <= 0 ? 0 : bytes <= 0 ? Infinity : flops / bytes;
    const idealCompute = flops / peak.rate, idealBandwidth = bytes / bandwidth;
    const overhead = this.launches[i] * this.overheadOfLaunch;
    const work = Math.max(idealCompute, idealBandwidth), achievable = Math.max(work, overhead);
    const above = intensity > balance;
    return {
      flops, bytes, intensity, balance, overhead, achievable, above,
      bound: work <= overhead ? 'launch' : above ? 'compute' : 'bandwidth',
      computeTime: above ? time : time * (intensity / balance),
      bandwidthTime: above ? time * (balance / intensity) : time,
      gap: work > 0 ? time / work : Infinity,  // from the complexity point to the time point
      inefficiency: achievable > 0 ? time / achievable : NaN,
      peak, bandwidth,
    };
  }

  // What limits kernel i: as predicted, else as its time point says at a level; '' where neither is known.
  limitName(i, level) {
    if (this.limit[i] !== UNKNOWN) return this.limits[this.limit[i]];
    const point = this.point(i, level);
    return point ? point.bound : '';
  }

  // Kernels whose name, layer or operator contains the text, in any case; null for none asked.
  search(text) {
    const wanted = text.trim().toLowerCase();
    if (!wanted) return null;
    this.folded = this.folded || this.strings.map((string) => string.toLowerCase());
    const matching = this.folded.map((string) => string.includes(wanted));
    const {name, layer, op} = this.places;
    const found = new Uint8Array(this.count);
    for (let i = 0; i < this.count; i++) {
      if (matching[name[i]] || (layer[i] !== UNKNOWN && matching[layer[i]]) || (op[i] !== UNKNOWN && matching[op[i]])) found[i] = 1;
    }
    return found;
  }

  // Equal kernels as one, those with the most time first.
  groups() {
    this.equal = this.equal || equalKernels(this);
    return this.equal;
  }

  // The group of kernel i.
  groupOf(i) {
    if (!this.groupPlaces) {
      this.groupPlaces = new Uint32Array(this.count);
      this.groups().forEach(({kernels}, place) => kernels.forEach((kernel) => { this.groupPlaces[kernel] = place; }));
    }
    return this.groups()[this.groupPlaces[i]];
  }

  // Kernels, the longest first.
  longest() {
    this.order = this.order || Uint32Array.from({length: this.count}, (_, i) => i).sort((a, b) => this.time[b] - this.time[a] || a - b);
    return this.order;
  }
}

// Kernels alike in all but the digits of their names, as the repeated layers of a transformer: {kernels, name, time}, the
// most time first. The name has a star where the digits differ, and how many there are: "layer*/mlp/up x 12".
function equalKernels(table) {
  const groups = new Map();
  for (let i = 0; i < table.count; i++) {
    const parts = table.label(i).split(/(\d+)/);
    const numbers = [table.time[i], table.flops[i], table.launches[i], table.peak[i], table.places.origin[i], table.places.op[i],
      ...table.bytes.map((column) => column[i])];
    const key = `${parts.map((part, place) => (place % 2 ? '0' : part)).join('')}\n${numbers.join(' ')}`;
    const group = groups.get(key);
    if (!group) {
      groups.set(key, {kernels: [i], parts, time: table.time[i]});
      continue;
    }
    group.kernels.push(i);
    group.time += table.time[i];
    group.parts = group.parts.map((part, place) => (part === parts[place] ? part : '*'));
  }
  const named = Array.from(groups.values(), ({kernels, parts, time}) => (
    {kernels, time, name: parts.join('') + (kernels.length > 1 ? ` x ${kernels.length}` : '')}));
  return named.sort((a, b) => b.time - a.time || a.kernels[0] - b.kernels[0]);
}

// Kernels sorted into at most eight series: by what limits them, operator, pass or origin.
function categories(table, by, level) {
  const texts = [], placeOf = new Map(), times = [];
  const raw = new Int32Array(table.count);
  for (let i = 0; i < table.count; i++) {
    const text = (by === 'limit' ? table.limitName(i, level) : table.text(by, i)) || 'not known';
    let place = placeOf.get(text);
    if (place === undefined) {
      place = texts.length;
      placeOf.set(text, place);
      texts.push(text);
      times.push(0);
    }
    raw[i] = place;
    times[place] += table.time[i];
  }
  const order = texts.map((_, place) => place).sort((a, b) => times[b] - times[a] || a - b);
  const most = APART;
  const newPlace = new Int32Array(texts.length);
  order.forEach((place, rank) => { newPlace[place] = texts.length > most ? Math.min(rank, most - 1) : rank; });
  const names = order.slice(0, most).map((place) => texts[place]);
  if (texts.length > most) names[most - 1] = `${texts.length - most + 1} others`;
  const series = names.map((name, place) => {
    const colour = by === 'limit' && name in LIMIT_COLOURS ? LIMIT_COLOURS[name] : place;
    return {name, colour: seriesColour(colour), shape: SHAPES[colour]};
  });
  return {series, of: raw.map((place) => newPlace[place])};
}
