// Stacked bars: what limits the whole and each layer, and stalls. Made of elements, so that they print and can be read.

const BARS_AT_ONCE = 20, LONGEST_NAME = 36;

// One bar: parts are {name, colour, value}, widths are shares of `whole`.
function stack(parts, whole, {tall = false, text = null} = {}) {
  const drawn = parts.filter(({value}) => value > 0);
  const spoken = drawn.map(({name, value}) => `${name} ${formatShare(value / whole)}`).join(', ') || 'not known';
  const bar = element('div', {class: tall ? 'stack tall' : 'stack', role: 'img', 'aria-label': spoken, title: spoken});
  for (const {name, colour, value} of drawn) {
    const share = value / whole;
    const label = text && share > 0.1 ? `${name} ${formatShare(share)}` : '';
    bar.append(element('span', {style: {width: `${100 * share}%`, background: colourOf(colour), color: textOn(colour)}, 'data-part': name}, label));
  }
  return bar;
}

// Rows of [name, bar, amount]; a name may be an element.
function barRows(rows) {
  return element('div', {class: 'bars'}, ...rows.flatMap(([name, bar, amount]) =>
    [typeof name === 'string' ? element('div', {class: 'name', title: name}, shortened(name, LONGEST_NAME)) : name, bar, element('div', {class: 'amount'}, amount)]));
}

class LimitBars {
  constructor(table, level, chosen) {
    Object.assign(this, {table, level, chosen, hidden: new Set(), shown: BARS_AT_ONCE, found: null});
    const names = [...new Set(Array.from({length: table.count}, (_, i) => table.limitName(i, level)))].filter(Boolean);
    if (table.hasCases) table.limits.forEach((name, at) => this.everPositive(table.cases[at]) && !names.includes(name) && names.push(name));
    const order = Object.keys(LIMIT_COLOURS);
    names.sort((a, b) => order.indexOf(a) - order.indexOf(b));
    this.series = names.map((name) => ({name, colour: seriesColour(LIMIT_COLOURS[name] ?? 7), shape: 'square'}));
    byId('more-bars').onclick = () => {
      this.shown += BARS_AT_ONCE;
      this.drawLayers();
    };
    fillLegend(byId('limit-legend'), this.series, this.hidden, () => this.draw());
    byId('layer-bars-note').textContent = table.hasCases ?
      'Equal layers are one bar. It is as long as their time, split in proportion to what each limit alone would take. In the bar of all ' +
      'kernels, each layer counts for its largest limit; time that the GPU waits for its host is in neither.' :
      'Equal kernels are one bar, as long as their time, in the colour of what limits them.';
    this.draw();
  }

  everPositive(column) {
    return Boolean(column) && column.some((value) => value > 0);
  }

  draw() {
    this.drawWhole();
    this.drawLayers();
  }

  visible(parts) {
    return parts.filter((_, place) => !this.hidden.has(place));
  }

  drawWhole() {
    const {table, series} = this, rows = [];
    for (const [origin, total] of table.totals) {
      const sums = series.map(() => 0);
      for (let i = 0; i < table.count; i++) {
        if (table.places.origin[i] !== origin) continue;
        const place = series.findIndex(({name}) => name === table.limitName(i, this.level));
        if (place >= 0) sums[place] += table.time[i];
      }
      const parts = this.visible(series.map((one, place) => ({...one, value: sums[place]})));
      rows.push([table.strings[origin] || 'all', stack(parts, total, {tall: true, text: true}), formatTime(total)]);
    }
    byId('whole-bars').replaceChildren(barRows(rows));
  }

  // The time of kernel i, split as its cases are.
  parts(i) {
    const {table, series} = this;
    const cases = series.map(({name}) => {
      const at = table.limits.indexOf(name);
      const value = at >= 0 && table.cases[at] ? table.cases[at][i] : NaN;
      return value > 0 ? value : 0;
    });
    const sum = cases.reduce((a, b) => a + b, 0);
    const limit = table.limitName(i, this.level);
    return series.map((one, place) => ({...one,
      value: sum > 0 ? table.time[i] * cases[place] / sum : one.name === limit ? table.time[i] : 0}));
  }

  drawLayers() {
    const {table} = this;
    const groups = table.groups(), longest = groups.length ? groups[0].time : 1;
    const rows = groups.slice(0, this.shown).map(({kernels, name, time}) => {
      const [first] = kernels;
      const dim = this.found && !kernels.some((kernel) => this.found[kernel]) ? ' dim' : '';
      const button = element('button', {type: 'button', class: `name${dim}`, title: name, onclick: () => this.chosen(first)},
        shortened(name, LONGEST_NAME));
      const bar = stack(this.visible(this.parts(first)), table.time[first]);
      bar.style.width = `${100 * time / longest}%`;
      if (dim) bar.classList.add('dim');
      const of = table.totals.size > 1 ? ` ${table.text('origin', first)}` : '';
      return [button, bar, `${formatTime(time)} · ${formatShare(kernels.length * table.share(first))}${of}`];
    });
    byId('layer-bars').replaceChildren(barRows(rows));
    byId('layer-bars-title').textContent = groups.length > this.shown ? `The ${this.shown} longest of ${formatCount(groups.length)}` : 'Each, the longest first';
    byId('more-bars').hidden = groups.length <= this.shown;
  }

  highlight(found) {
    this.found = found;
    this.drawLayers();
  }
}

// Why warps waited, of the whole and of the longest kernels.
function showStalls(raw, table) {
  const section = byId('stalls'), {names, wholes, kernels} = raw.stalls;
  section.hidden = wholes.length === 0 && kernels.length === 0;
  if (section.hidden) return;
  const series = names.map((name) => ({name, colour: seriesColour(STALL_COLOURS[name] ?? 7), shape: 'square'}));
  const hidden = new Set();
  const estimated = wholes.some((whole) => whole.estimated) || kernels.some((kernel) => kernel.estimated);
  const measured = kernels.some((kernel) => !kernel.estimated);
  byId('stalls-note').textContent = 'Shares of all stalls; of the whole, weighted by time.' +
    (estimated ? ' Those of a prediction are estimated from what limits each layer, not counted.' : '');
  const bar = (shares, tall) => stack(series.map((one, place) => ({...one, value: shares[place]})).filter((_, place) => !hidden.has(place)), 1,
    {tall, text: tall});
  const draw = () => byId('stall-bars').replaceChildren(barRows([
    ...wholes.map((whole) => [`${whole.origin}${whole.estimated ? ', estimated' : ''}`, bar(whole.shares, true), formatTime(whole.time_s)]),
    ...kernels.map((one) => {
      const {name, time} = table.groupOf(one.kernel);
      return [name + (one.estimated && measured ? ' (estimated)' : ''), bar(one.shares, false), formatTime(time)];
    }),
  ]));
  fillLegend(byId('stall-legend'), series, hidden, draw);
  draw();
}
