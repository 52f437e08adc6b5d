// The data: sorted, filtered, and of many rows only those in view are in the document. Also as CSV.

const ROW = 28;             // pixels, as the style sheet has it
const MOST_AT_ONCE = 200;   // rows, whatever the height of the window
const MOST_PRINTED = 400;   // rows on paper
const PRINTED = new Set(['name', 'op', 'origin', 'time_s', 'share', 'limited_by', 'flops', 'intensity', 'inefficiency']);  // and their columns

// {key, title, width, text, value, show}: `value` is what the CSV holds and the order follows, `show` what is read.
function columnsOf(table, level) {
  const columns = [];
  const text = (key, title, width) => table.has(key) && columns.push({key, title, width, text: true, value: (i) => table.text(key, i)});
  const number = (key, title, width, value, show) => columns.push({key, title, width, value, show});
  text('name', 'name', 250);
  text('layer', 'layer', 160);
  text('op', 'operator', 120);
  text('pass', 'pass', 70);
  if (table.totals.size > 1) text('origin', 'origin', 90);
  for (const {key, title, places} of table.extra) {
    columns.push({key, title, width: 130, text: true, value: (i) => (places[i] === UNKNOWN ? '' : table.strings[places[i]])});
  }
  number('time_s', 'time', 96, (i) => table.time[i], formatTime);
  number('share', 'share', 76, (i) => table.share(i), formatShare);
  if (table.low) number('time_low_s', 'low', 96, (i) => table.low[i], formatTime);
  if (table.high) number('time_high_s', 'high', 96, (i) => table.high[i], formatTime);
  columns.push({key: 'limited_by', title: 'limited by', width: 110, text: true, value: (i) => table.limitName(i, level)});
  number('launches', 'launches', 88, (i) => table.launches[i], formatCount);
  number('flops', 'FLOPs', 116, (i) => table.flops[i], formatFlops);
  table.levels.forEach(({name}, at) => number(`${name.toLowerCase()}_bytes`, `${name} bytes`, 120, (i) => table.bytes[at][i], formatBytes));
  const at = (key, title, width, show) => number(key, title, width, (i) => {
    const point = table.point(i, level);
    return point ? point[show[0]] : NaN;
  }, show[1]);
  columns.push({key: 'roof', title: 'roof', width: 110, text: true, value: (i) => (table.peaks[table.peak[i]] || {name: ''}).name});
  at('intensity', 'intensity', 128, ['intensity', formatIntensity]);
  at('compute_time_s', 'compute time', 116, ['computeTime', formatTime]);
  at('bandwidth_time_s', 'bandwidth time', 126, ['bandwidthTime', formatTime]);
  at('overhead_s', 'overhead', 96, ['overhead', formatTime]);
  at('achievable_s', 'achievable', 100, ['achievable', formatTime]);
  at('inefficiency', 'inefficiency', 108, ['inefficiency', formatRatio]);
  table.limits.forEach((name, place) => {
    if (table.cases[place]) columns.push({key: `case_${name}_s`, title: name, width: 90, value: (i) => table.cases[place][i], csvOnly: true});
  });
  return columns;
}

// RFC 4180: what holds a comma, a quote or a line break is quoted.
function csvField(value) {
  if (typeof value === 'number') return Number.isNaN(value) ? '' : String(value);
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

// All kernels in their order, numbers in full and in base units.
function csvOf(table, level) {
  const columns = columnsOf(table, level);
  const lines = [columns.map(({key}) => csvField(key)).join(',')];
  for (let i = 0; i < table.count; i++) lines.push(columns.map(({value}) => csvField(value(i))).join(','));
  return lines.join('\r\n') + '\r\n';
}

// Classes of a column's cells.
const classOf = ({key, text}) => [text ? 'text' : '', PRINTED.has(key) ? '' : 'screen'].join(' ').trim() || null;

class DataTable {
  constructor(frame, chosen) {
    Object.assign(this, {frame, chosen, printing: matchMedia('print').matches, selected: -1});
    this.draw = oncePerFrame(() => this.drawNow());
    frame.addEventListener('scroll', this.draw, {passive: true});
    new ResizeObserver(this.draw).observe(frame);
  }

  show(table, level) {
    Object.assign(this, {table, level, found: null, sortedBy: null, descending: false});
    this.columns = columnsOf(table, level).filter(({csvOnly}) => !csvOnly);
    this.drawHead();
    this.arrange();
  }

  drawHead() {
    this.buttons = this.columns.map((column) => element('button', {type: 'button', title: `Sort by ${column.title}`,
      onclick: () => this.sortBy(column)}, column.title));
    const row = element('tr', {'aria-rowindex': 1}, ...this.columns.map((column, at) =>
      element('th', {scope: 'col', class: classOf(column), 'data-title': column.title}, this.buttons[at])));
    const columns = element('colgroup', {}, ...this.columns.map((column) =>
      element('col', {class: classOf(column), style: {width: `${column.width}px`}})));
    this.body = element('tbody');
    const table = byId('table');
    table.style.width = `${this.columns.reduce((sum, {width}) => sum + width, 0)}px`;
    table.replaceChildren(columns, element('thead', {}, row), this.body);
  }

  // Numbers start with the largest, text with the first of the alphabet; once more turns it round, a third time ends it.
  sortBy(column) {
    const start = !column.text;
    if (this.sortedBy !== column) Object.assign(this, {sortedBy: column, descending: start});
    else if (this.descending === start) this.descending = !start;
    else this.sortedBy = null;
    this.arrange();
  }

  // The rows to show, in their order.
  arrange() {
    const {table, found, sortedBy, descending} = this;
    const rows = [];
    for (let i = 0; i < table.count; i++) if (!found || found[i]) rows.push(i);
    if (sortedBy) {
      const keys = Array.from({length: table.count}, (_, i) => sortedBy.value(i)), sign = descending ? -1 : 1;
      // What is not known stands last, whichever way the rest goes.
      const known = (key) => !(Number.isNaN(key) || key === '');
      rows.sort((a, b) => {
        if (known(keys[a]) !== known(keys[b])) return known(keys[a]) ? -1 : 1;
        return (keys[a] < keys[b] ? -sign : keys[a] > keys[b] ? sign : 0) || a - b;
      });
    }
    this.rows = rows;
    this.columns.forEach((column, at) => {
      const sorted = column === sortedBy;
      this.buttons[at].parentElement.setAttribute('aria-sort', sorted ? (descending ? 'descending' : 'ascending') : 'none');
      this.buttons[at].textContent = column.title + (sorted ? (descending ? ' ▾' : ' ▴') : '');
    });
    byId('table').setAttribute('aria-rowcount', rows.length + 1);
    byId('table-count').textContent = rows.length === table.count ? `${formatCount(table.count)} rows` :
      `${formatCount(rows.length)} of ${formatCount(table.count)} rows`;
    this.frame.scrollTop = 0;
    this.draw();
  }

  drawNow() {
    if (!this.table) return;
    const {rows, frame} = this;
    const first = this.printing ? 0 : Math.max(0, Math.floor(frame.scrollTop / ROW) - 8);
    const room = this.printing ? MOST_PRINTED : Math.min(MOST_AT_ONCE, Math.ceil(frame.clientHeight / ROW) + 16);
    const last = Math.min(rows.length, first + room);
    const space = (count) => (count > 0 && !this.printing ? [element('tr', {class: 'space', 'aria-hidden': 'true'},
      element('td', {colspan: this.columns.length, style: {height: `${count * ROW}px`}}))] : []);
    const focused = this.body.contains(document.activeElement) ? document.activeElement.dataset.kernel : null;
    this.body.replaceChildren(...space(first), ...rows.slice(first, last).map((i, at) => this.row(i, first + at)), ...space(rows.length - last));
    if (focused) this.body.querySelector(`[data-kernel="${focused}"]`)?.focus({preventScroll: true});
    byId('print-note').textContent = this.printing && last < rows.length ?
      `The first ${formatCount(last)} of ${formatCount(rows.length)} rows; the page itself and its CSV have them all.` : '';
  }

  row(i, place) {
    const cells = this.columns.map((column, at) => {
      const value = column.value(i), shown = column.show ? column.show(value) : value;
      if (at > 0) return element('td', {class: classOf(column), title: column.text ? shown : null}, shown);
      return element('td', {class: 'text'}, element('button', {type: 'button', title: shown, 'data-kernel': i, onclick: () => this.chosen(i)}, shown));
    });
    return element('tr', {'aria-rowindex': place + 2, 'aria-selected': String(i === this.selected)}, ...cells);
  }

  filter(found) {
    this.found = found;
    this.arrange();
  }

  // Marks a kernel's row and brings it into view; -1 for none.
  select(kernel) {
    this.selected = kernel;
    const place = this.rows.indexOf(kernel);
    const top = place * ROW, height = this.frame.clientHeight - 34;
    if (place >= 0 && (top < this.frame.scrollTop || top + ROW > this.frame.scrollTop + height)) {
      this.frame.scrollTop = Math.max(0, top - height / 2);
    }
    this.draw();
  }

  print(printing) {
    this.printing = printing;
    this.drawNow();
  }
}
