// The page: its data block, its controls, and what each of them changes.

const THEMES = ['as the system', 'light', 'dark'];

class Page {
  constructor(views) {
    this.views = views;
    this.chartKey = 'time';
    this.colourBy = null;
    this.chart = new Chart(byId('chart'), byId('tip'), {
      describe: (kernel, series) => {
        const described = describeKernel(this.table, kernel, this.level, this.chart.chart.levels === 'all' ? series : null);
        byId('announce').textContent = described.map((part) => Array.from(part.children.length ? part.children : [part], (one) => one.textContent).join(' ')).join(': ');
        return described;
      },
      chosen: (kernel) => this.choose(kernel),
    });
    this.dataTable = new DataTable(byId('table-frame'), (kernel) => this.choose(kernel, true));
    this.fillViews();
    this.fillCharts();
    this.fillContents();
    this.listen();
    this.showView(0);
  }

  fillViews() {
    byId('view').replaceChildren(...this.views.map((view, place) => element('option', {value: place}, view.name)));
    byId('view-choice').hidden = this.views.length < 2;
  }

  fillCharts() {
    byId('chart-choice').append(...CHARTS.map(({key, name}) => {
      const input = element('input', {type: 'radio', name: 'chart', value: key, onchange: () => this.showChart({chartKey: key})});
      input.checked = key === this.chartKey;
      return element('label', {}, input, element('span', {}, name));
    }));
  }

  fillContents() {
    byId('contents').replaceChildren(...Array.from(document.querySelectorAll('main > section'), (section) =>
      element('li', {'data-of': section.id}, element('a', {href: `#${section.id}`}, section.querySelector('h2').textContent))));
  }

  listen() {
    byId('view').addEventListener('change', (event) => this.showView(Number(event.target.value)));
    byId('level').addEventListener('change', (event) => this.setLevel(Number(event.target.value)));
    byId('colour').addEventListener('change', (event) => this.showChart({colourBy: event.target.value}));
    byId('zoom-in').addEventListener('click', () => this.chart.zoom(0.5));
    byId('zoom-out').addEventListener('click', () => this.chart.zoom(2));
    byId('zoom-reset').addEventListener('click', () => this.chart.reset());
    byId('save').addEventListener('click', () => this.save());
    byId('search').addEventListener('input', oncePerFrame(() => this.search()));
    byId('theme').addEventListener('click', () => this.nextTheme());
    for (const query of ['(prefers-color-scheme: dark)', '(resolution: 1dppx)']) {
      matchMedia(query).addEventListener('change', () => this.chart.draw());
    }
    const print = (printing) => {
      this.dataTable.print(printing);
      this.chart.drawNow();
    };
    addEventListener('beforeprint', () => print(true));
    addEventListener('afterprint', () => print(false));
    matchMedia('print').addEventListener('change', (event) => print(event.matches));
  }

  nextTheme() {
    this.theme = ((this.theme || 0) + 1) % THEMES.length;
    document.documentElement.dataset.theme = this.theme ? THEMES[this.theme] : '';
    byId('theme').textContent = `Theme: ${THEMES[this.theme]}`;
    this.chart.draw();
  }

  showView(place) {
    const raw = this.views[place];
    this.table = new KernelTable(raw);
    this.level = this.table.startLevel;
    byId('level').replaceChildren(...this.table.levels.map(({name}, at) => element('option', {value: at}, name)));
    byId('level').value = this.level;
    const ways = [['limit', 'what limits it'], ['op', 'operator'], ['pass', 'pass'], ['origin', 'origin']].filter(([key]) =>
      key === 'limit' || (key === 'origin' ? this.table.totals.size > 1 : this.table.has(key)));
    byId('colour').replaceChildren(...ways.map(([key, name]) => element('option', {value: key}, name)));
    this.colourBy = this.table.totals.size > 1 ? 'origin' : 'limit';
    byId('colour').value = this.colourBy;
    showSummary(raw);
    showMatches(raw, this.table, (kernel) => this.choose(kernel, true));
    showStalls(raw, this.table);
    showLists(raw);
    for (const item of byId('contents').children) item.hidden = byId(item.dataset.of).hidden;
    this.dataTable.show(this.table, this.level);
    this.showLimits();
    this.showChart({});
    this.search();
  }

  showLimits() {
    this.bars = new LimitBars(this.table, this.level, (kernel) => this.choose(kernel, true));
  }

  setLevel(level) {
    this.level = level;
    this.dataTable.show(this.table, level);
    this.showLimits();
    this.showChart({});
    this.search();
  }

  showChart(change) {
    Object.assign(this, change);
    const chart = CHARTS.find(({key}) => key === this.chartKey);
    byId('colour').disabled = chart.levels === 'all';
    this.chart.show(this.table, chart, this.level, this.colourBy);
    fillLegend(byId('chart-legend'), this.chart.marks.names, this.chart.hidden, () => {
      this.chart.pointAt(-1);
      this.chart.draw();
    });
    byId('chart').setAttribute('aria-label', `${chart.name} chart: ${chart.reading}`);
    byId('chart-reading').textContent = chart.reading;
    const missing = this.chart.marks.missing;
    byId('chart-missing').textContent = missing === 0 ? '' :
      `${formatCount(missing)} not drawn here: their ${chart.needsWork ? 'FLOPs or bytes are none or not known' : 'bytes, FLOPs or roof are not known'}.`;
  }

  search() {
    const found = this.table.search(byId('search').value);
    this.chart.found = found;
    this.chart.pointAt(-1);
    this.chart.draw();
    this.dataTable.filter(found);
    this.bars.highlight(found);
    const count = found ? found.reduce((sum, one) => sum + one, 0) : 0;
    byId('found').textContent = found ? `${formatCount(count)} of ${formatCount(this.table.count)}` : '';
  }

  // A kernel chosen anywhere is marked everywhere; `look` brings the chart into view.
  choose(kernel, look = false) {
    this.chart.select(kernel);
    this.dataTable.select(kernel);
    if (look) byId('roofline').scrollIntoView({block: 'start'});
  }

  save() {
    const url = URL.createObjectURL(new Blob([csvOf(this.table, this.level)], {type: 'text/csv;charset=utf-8'}));
    const name = this.views[Number(byId('view').value) || 0].file_name;
    const link = element('a', {href: url, download: `${name}.csv`});
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }
}

window.rooftilePage = new Page(JSON.parse(byId('data').textContent).views);
