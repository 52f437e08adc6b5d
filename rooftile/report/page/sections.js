// The parts of the page that do not change while it is read: summary, matches, notes and sources.

const MATCHES_AT_ONCE = 20;

function showSummary(raw) {
  byId('title').textContent = document.title = raw.title;
  byId('subtitle').textContent = raw.subtitle;
  byId('cards').replaceChildren(...raw.cards.map(({label, value, note}) =>
    element('div', {class: 'card'}, element('h3', {}, label), element('p', {class: 'value'}, value), element('p', {class: 'quiet'}, note))));
  byId('setup').replaceChildren(...raw.setup.map(({label, value}) => element('div', {}, ...pairElements([[label, value]]))));
}

function showMatches(raw, table, chosen, shown = MATCHES_AT_ONCE) {
  const matches = raw.matches;
  byId('fix').hidden = matches.length === 0;
  const head = ['layer', 'loss', 'measured', 'predicted', 'ratio', ...table.levels.map(({name}) => `${name} bytes`), 'matched by', 'kernels'];
  const text = new Set([0, 5 + table.levels.length, 6 + table.levels.length]);
  const cell = (tag, value, at) => element(tag, {class: text.has(at) ? 'text' : null, scope: tag === 'th' ? 'col' : null}, value);
  const number = (value, show) => (value === null ? NOTHING : show(value));
  const rows = matches.slice(0, shown).map((match) => {
    const name = table.name(match.predicted);
    const others = match.measured.length > 1 ? ` and ${match.measured.length - 1} more` : '';
    const kernels = shortened(table.name(match.measured[0]), 60) + others;
    const values = [element('button', {type: 'button', title: name, onclick: () => chosen(match.predicted)}, name), number(match.loss_s, formatTime),
      formatTime(match.measured_s), formatTime(table.time[match.predicted]), formatRatio(match.time_ratio),
      ...match.bytes_ratio.map((ratio) => number(ratio, formatRatio)), match.by, kernels];
    return element('tr', {}, ...values.map((value, at) => cell('td', value, at)));
  });
  byId('fix-table').replaceChildren(element('thead', {}, element('tr', {}, ...head.map((title, at) => cell('th', title, at)))),
    element('tbody', {}, ...rows));
  byId('fix-note').textContent = 'Ratios are measured over predicted.' + (matches.length > shown ?
    ` The first ${formatCount(shown)} of ${formatCount(matches.length)} layers.` : '');
  byId('more-fix').hidden = matches.length <= shown;
  byId('more-fix').onclick = () => showMatches(raw, table, chosen, shown + 5 * MATCHES_AT_ONCE);
}

// Lists of notes; long ones are folded.
function showLists(raw) {
  const items = (list) => element('ul', {}, ...list.items.map((item) => element('li', {}, item)));
  byId('lists').replaceChildren(...raw.lists.filter((list) => list.items.length > 0).map((list) =>
    list.folded ? element('details', {}, element('summary', {}, `${list.title} (${formatCount(list.items.length)})`), items(list)) :
      element('div', {}, element('h3', {}, list.title), items(list))));
}

// The numbers of a kernel, for the box beside its mark; `markLevel` where a mark is of one memory level.
function describeKernel(table, kernel, level, markLevel) {
  const point = table.point(kernel, level);
  const interval = table.low && !Number.isNaN(table.low[kernel]) ? ` (${formatTime(table.low[kernel])} to ${formatTime(table.high[kernel])})` : '';
  const pairs = [['time', formatTime(table.time[kernel]) + interval], ['share', formatShare(table.share(kernel))]];
  const about = ['op', 'pass', 'origin', 'layer'].map((key) => table.text(key, kernel)).filter((text) => text && text !== table.name(kernel));
  if (about.length) pairs.unshift(['what', about.join(', ')]);
  if (markLevel) pairs.push(['mark', markLevel]);
  if (!Number.isNaN(table.flops[kernel])) {
    pairs.push(['FLOPs', formatFlops(table.flops[kernel])], ['performance', formatRate(table.flops[kernel] / table.time[kernel])]);
  }
  table.levels.forEach(({name}, at) => {
    if (!Number.isNaN(table.bytes[at][kernel])) pairs.push([`${name} bytes`, formatBytes(table.bytes[at][kernel])]);
  });
  pairs.push(['launches', formatCount(table.launches[kernel])]);
  const limit = table.limitName(kernel, level);
  if (limit) pairs.push(['limited by', limit]);
  if (point) {
    pairs.push(['roof', `${point.peak.name}, ${table.levels[level].name}`], ['intensity', formatIntensity(point.intensity)],
      ['compute time', formatTime(point.computeTime)], ['bandwidth time', formatTime(point.bandwidthTime)],
      ['achievable', formatTime(point.achievable)], ['inefficiency', formatRatio(point.inefficiency)]);
  }
  return [element('h3', {}, shortened(table.name(kernel), 160)), element('dl', {}, ...pairElements(pairs))];
}
