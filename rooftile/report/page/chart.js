// The chart on its canvas: drawing what is visible, pointing, moving and zooming.

const MARGIN = {side: 24, top: 18, bottom: 46};
const TITLE = 24;                           // pixels for the title of an axis
const TICK_SIZE = 12;                       // of the text on axes
const MANY = 3000;                          // marks from which each is small and none is drawn over an equal one
const LABELLED = 6;                         // names beside marks
const OCCUPIED = 6;                         // pixels of a cell that is taken or free

class Chart {
  // `changed(kernel)` is called with the kernel pointed at or chosen, or -1.
  constructor(canvas, tip, {describe, chosen}) {
    Object.assign(this, {canvas, tip, describe, chosen, context: canvas.getContext('2d'), hidden: new Set(), found: null,
      selected: -1, pointed: -1, sprites: new Map()});
    this.draw = oncePerFrame(() => this.drawNow());
    canvas.addEventListener('pointermove', (event) => this.moved(event));
    canvas.addEventListener('pointerleave', () => this.pointAt(-1));
    canvas.addEventListener('pointerdown', (event) => this.pressed(event));
    canvas.addEventListener('pointerup', (event) => this.released(event));
    canvas.addEventListener('pointercancel', () => { this.drag = null; });
    canvas.addEventListener('dblclick', (event) => this.zoom(0.5, event));
    canvas.addEventListener('keydown', (event) => this.key(event));
    canvas.addEventListener('blur', () => this.pointAt(-1));
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  show(table, chart, level, colourBy) {
    Object.assign(this, {table, chart, level, marks: marksOf(chart, table, level, colourBy), pointed: -1});
    this.hidden.clear();
    this.reset();
  }

  // The whole chart.
  reset() {
    const {marks, table, chart, level} = this;
    const extra = chart.include(table, level);
    const also = (ends, at) => (function* () {
      yield* ends[0];
      if (ends[1]) yield* ends[1];
      for (const point of extra) yield point[at];
    })();
    const x = rangeOf(also([marks.x.subarray(0, marks.count), marks.endX && marks.endX.subarray(0, marks.count)], 0), [1, 1e6]);
    const y = rangeOf(also([marks.y.subarray(0, marks.count), marks.endY && marks.endY.subarray(0, marks.count)], 1), [1, 1e6]);
    this.range = {x, y};
    this.pointAt(-1);
    this.draw();
  }

  visible(mark) {
    return !this.hidden.has(this.marks.series[mark]);
  }

  lay() {
    const {clientWidth: width, clientHeight: height} = this.canvas;
    const ratio = window.devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      this.canvas.width = Math.round(width * ratio);
      this.canvas.height = Math.round(height * ratio);
    }
    this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const axes = this.chart.axes(this.table, this.level), lanes = this.lanes();
    const top = axes.x.otherTitle ? MARGIN.top + TITLE + 14 : MARGIN.top;
    const bottom = height - MARGIN.bottom - (lanes.y ? LANE : 0);
    const y = new LogScale(...this.range.y, bottom, top);
    const up = axes.y.otherTitle ? this.inTime(y, axes.y.otherRate) : null;
    const left = TITLE + this.widest(y, 26, axes.y.unit) + 8 + (lanes.x ? LANE : 0);
    const right = width - (up ? TITLE + this.widest(up, 26, 's') + 8 : MARGIN.side);
    Object.assign(this, {width, height, left, right, top, bottom, axes, x: new LogScale(...this.range.x, left, right), y, up});
    this.occupied = new Uint8Array(Math.ceil(width / OCCUPIED) * Math.ceil(height / OCCUPIED));
  }

  // The same places as times.
  inTime(scale, rate) {
    return new LogScale(scale.low / rate, scale.high / rate, scale.from, scale.to);
  }

  // Pixels that the longest text of an axis takes.
  widest(scale, room, unit) {
    this.context.font = `${TICK_SIZE}px ${this.font}`;
    return Math.max(0, ...scale.ticks(room).map((value) => this.context.measureText(formatTick(value, unit)).width));
  }

  // Values along a horizontal axis, as many as have room.
  ticksAcross(scale, unit) {
    return scale.ticks(this.widest(scale, 40, unit) + 14);
  }

  // Colours of the page as it stands: light, dark or printed.
  readColours() {
    const probe = byId('title').appendChild(element('span'));
    const read = (name) => {
      probe.style.color = `var(--${name})`;
      return getComputedStyle(probe).color;
    };
    const colours = Object.fromEntries(['ground', 'text', 'quiet', 'grid', 'contour', 'roof', 'mark-edge', 'accent', ...COLOURS.map((_, place) => seriesColour(place))].map((name) => [name, read(name)]));
    probe.remove();
    if (JSON.stringify(colours) !== JSON.stringify(this.colours)) this.sprites.clear();
    this.colours = colours;
    this.font = getComputedStyle(document.body).fontFamily;
  }

  drawNow() {
    if (!this.table || !this.canvas.clientWidth) return;
    this.readColours();
    this.lay();
    const {context, width, height} = this;
    context.fillStyle = this.colours.ground;
    context.fillRect(0, 0, width, height);
    this.drawAxes();
    const lines = this.lines = this.placedLines();
    this.clipped(0, () => this.drawLines(lines));
    this.clipped(LANE + 8, () => this.drawMarks());
    this.clipped(0, () => this.labelLines(lines));
    this.clipped(LANE + 8, () => this.drawNames());
    this.drawFocus();
    this.canvas.dataset.drawn = String(this.drawnMarks);  // for those who watch from outside
  }

  // Draws only in the plot and so many pixels around it.
  clipped(around, draw) {
    const {context, left, right, top, bottom} = this;
    context.save();
    context.beginPath();
    context.rect(left - around, top - around, right - left + 2 * around, bottom - top + 2 * around);
    context.clip();
    draw();
    context.restore();
  }

  text(text, x, y, {align = 'center', baseline = 'middle', colour = 'quiet', size = 12, bold = false, turn = 0, halo = false} = {}) {
    const {context} = this;
    context.save();
    context.translate(x, y);
    context.rotate(turn);
    context.font = `${bold ? '600 ' : ''}${size}px ${this.font}`;
    context.textAlign = align;
    context.textBaseline = baseline;
    if (halo) {
      context.strokeStyle = this.colours.ground;
      context.lineWidth = 3.5;
      context.lineJoin = 'round';
      context.strokeText(text, 0, 0);
    }
    context.fillStyle = this.colours[colour];
    context.fillText(text, 0, 0);
    context.restore();
  }

  line(x1, y1, x2, y2, colour, width = 1) {
    const {context} = this;
    context.strokeStyle = this.colours[colour];
    context.lineWidth = width;
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
    context.stroke();
  }

  drawAxes() {
    const {x, y, axes, top, left, right, bottom} = this, lanes = this.lanes();
    const below = bottom + 14 + (lanes.y ? LANE : 0);
    for (const value of this.ticksAcross(x, axes.x.unit)) {
      const at = x.place(value);
      this.line(at, top, at, bottom, 'grid');
      if (!lanes.x || at - left > 12) this.text(formatTick(value, axes.x.unit), at, below);  // clear of the zero
    }
    for (const value of y.ticks(26)) {
      const at = y.place(value);
      this.line(left, at, right, at, 'grid');
      this.text(formatTick(value, axes.y.unit), left - 8 - (lanes.x ? LANE : 0), at, {align: 'right'});
    }
    this.line(left, bottom, right, bottom, 'quiet');
    this.line(left, top, left, bottom, 'quiet');
    if (lanes.y) this.text('0', left - 8, bottom + LANE, {align: 'right'});
    if (lanes.x) this.text('0', left - LANE, below);
    this.text(axes.x.title, (left + right) / 2, this.height - 10, {colour: 'text', size: 13, bold: true});
    this.text(axes.y.title, 10, (top + bottom) / 2, {colour: 'text', size: 13, bold: true, turn: -Math.PI / 2});
    if (axes.x.otherTitle) this.drawOtherAxes();
  }

  // The far axes.
  drawOtherAxes() {
    const {x, up, axes, top, left, right, bottom} = this;
    this.line(left, top, right, top, 'quiet');
    const across = this.inTime(x, axes.x.otherRate);
    for (const value of this.ticksAcross(across, 's')) {
      this.line(across.place(value), top, across.place(value), top - 5, 'quiet');
      this.text(formatTick(value, 's'), across.place(value), top - 14);
    }
    this.text(axes.x.otherTitle, (left + right) / 2, 12, {colour: 'text', size: 13, bold: true});
    if (!up) return;
    this.line(right, top, right, bottom, 'quiet');
    for (const value of up.ticks(26)) {
      this.line(right, up.place(value), right + 5, up.place(value), 'quiet');
      this.text(formatTick(value, 's'), right + 8, up.place(value), {align: 'left'});
    }
    this.text(axes.y.otherTitle, this.width - 10, (top + bottom) / 2, {colour: 'text', size: 13, bold: true, turn: Math.PI / 2});
  }

  // Which axes have a mark at zero.
  lanes() {
    const {marks} = this;
    if (marks.lanes) return marks.lanes;
    marks.lanes = {x: false, y: false};
    for (let mark = 0; mark < marks.count; mark++) {
      if (marks.x[mark] === 0) marks.lanes.x = true;
      if (marks.y[mark] === 0) marks.lanes.y = true;
    }
    return marks.lanes;
  }

  // The lines behind the marks, in pixels.
  placedLines() {
    const lines = this.chart.lines(this.table, this.level)(this.range);
    return lines.map((line) => ({...line, places: line.points.map(([x, y]) => [this.x.place(x), this.y.place(y)])}));
  }

  drawLines(lines) {
    const {context} = this;
    const looks = {
      roof: {colour: 'roof', width: 2, dashes: []}, balance: {colour: 'roof', width: 1.6, dashes: []},
      contour: {colour: 'contour', width: 1, dashes: []}, box: {colour: 'quiet', width: 1.5, dashes: [6, 4]},
    };
    for (const {style, places} of lines) {
      const {colour, width, dashes} = looks[style];
      context.strokeStyle = this.colours[colour];
      context.lineWidth = width;
      context.setLineDash(dashes);
      context.beginPath();
      places.forEach(([x, y], i) => context[i ? 'lineTo' : 'moveTo'](x, y));
      context.stroke();
    }
    context.setLineDash([]);
  }

  // Roofs first: where two texts would meet, or one and a mark, the later is left out.
  labelLines(lines) {
    for (const wanted of [['roof', 'balance', 'box'], ['contour']]) {
      for (const line of lines) {
        if (wanted.includes(line.style)) this.labelLine(line);
      }
    }
    for (const {places, style} of lines) {
      if (style !== 'contour') places.slice(1).forEach((place, i) => this.occupyLine(this.stretch([places[i], place])));
    }
  }

  // Names keep off a line.
  occupyLine(part) {
    if (!part) return;
    const [[x1, y1], [x2, y2]] = part, steps = Math.ceil(Math.hypot(x2 - x1, y2 - y1) / OCCUPIED);
    for (let step = 0; step <= steps; step++) this.occupy(x1 + (x2 - x1) * step / steps, y1 + (y2 - y1) * step / steps, 1, 1);
  }

  // The part of a line's first stretch that lies in a box, else in the plot.
  stretch([[x1, y1], [x2, y2]], {left, right, top, bottom} = this) {
    let from = 0, to = 1;
    const inside = [[x1, x2, left, right], [y1, y2, top, bottom]];
    for (const [a, b, low, high] of inside) {
      if (a === b) {
        if (a < low || a > high) return null;
        continue;
      }
      const [enter, leave] = [(low - a) / (b - a), (high - a) / (b - a)].sort((p, q) => p - q);
      from = Math.max(from, enter);
      to = Math.min(to, leave);
    }
    if (from >= to) return null;
    const at = (share) => [x1 + share * (x2 - x1), y1 + share * (y2 - y1)];
    return [at(from), at(to)];
  }

  labelLine({places, label, labelAt, style}) {
    this.context.font = `${TICK_SIZE}px ${this.font}`;
    const width = this.context.measureText(label).width, gap = 9;
    for (const {x, y, turn} of this.labelPlaces(places, width, gap, labelAt, style)) {
      if (style === 'box' && this.crossed(x, y, width)) continue;
      const across = Math.abs(width * Math.cos(turn)) + TICK_SIZE * Math.abs(Math.sin(turn));
      const down = Math.abs(width * Math.sin(turn)) + TICK_SIZE * Math.abs(Math.cos(turn));
      if (!this.claim(x, y, across, down)) continue;
      this.text(label, x, y, {turn, colour: style === 'contour' ? 'quiet' : 'text', halo: true});
      return;
    }
  }

  // Whether a line that is no contour runs through a level text about a place.
  crossed(x, y, width) {
    const box = {left: x - width / 2 - 3, right: x + width / 2 + 3, top: y - TICK_SIZE / 2, bottom: y + TICK_SIZE / 2};
    return this.lines.some(({style, places}) => style !== 'contour' &&
      places.slice(1).some((place, i) => this.stretch([places[i], place], box)));
  }

  // Where the label of a line could stand, the best first.
  labelPlaces(places, width, gap, labelAt, style) {
    const [x, y] = places[1];
    if (style === 'box') {  // in it at the top or the bottom, above it, beside it
      if (!places.slice(1).some((place, i) => this.stretch([places[i], place]))) return [];
      const inside = this.left + width / 2 + 8, beside = x + width / 2 + 8;
      return [[inside, y + gap + 1], [inside, this.bottom - gap - 1], [inside, y - gap - 1], [beside, this.bottom - gap - 1],
        [beside, this.bottom - 3 * gap], [beside, y + gap + 1]].map(([atX, atY]) => ({x: atX, y: atY, turn: 0}));
    }
    if (labelAt === 'corner') return [{x: Math.min(x, this.right) - width / 2 - 8, y: y - gap - 1, turn: 0}];
    const part = this.stretch(places.slice(0, 2));
    if (!part) return [];
    const [[x1, y1], [x2, y2]] = part;
    const length = Math.hypot(x2 - x1, y2 - y1), turn = Math.atan2(y2 - y1, x2 - x1), room = length - width - 28;
    if (room < 0) return [];
    const shares = labelAt === 'start' ? [0, 0.25, 0.5, 1] : [1, 0.85, 0.7, 0, 0.2, 0.5];
    return shares.flatMap((share) => {
      const along = (14 + width / 2 + share * room) / length;
      return [-1, 1].map((side) => ({x: x1 + (x2 - x1) * along - side * gap * Math.sin(turn),
        y: y1 + (y2 - y1) * along + side * gap * Math.cos(turn), turn}));
    });
  }

  // The cells that a rectangle about a place covers.
  * cells(x, y, width, height) {
    const columns = Math.ceil(this.width / OCCUPIED), rows = Math.ceil(this.height / OCCUPIED);
    const clamped = (value, most) => Math.min(most - 1, Math.max(0, Math.floor(value / OCCUPIED)));
    for (let row = clamped(y - height / 2, rows); row <= clamped(y + height / 2, rows); row++) {
      for (let column = clamped(x - width / 2, columns); column <= clamped(x + width / 2, columns); column++) yield row * columns + column;
    }
  }

  // Takes a rectangle about a place for a text, if nothing is there and it lies in the plot.
  claim(x, y, width, height) {
    const inside = x - width / 2 >= this.left && x + width / 2 <= this.right && y - height / 2 >= this.top && y + height / 2 <= this.bottom;
    if (!inside) return false;
    for (const cell of this.cells(x, y, width, height)) if (this.occupied[cell]) return false;
    this.occupy(x, y, width, height);
    return true;
  }

  occupy(x, y, width, height) {
    for (const cell of this.cells(x, y, width, height)) this.occupied[cell] = 1;
  }

  radius(mark) {
    if (this.marks.count > MANY) return 3;
    return 4 + 9 * Math.sqrt(Math.min(1, Math.max(0, this.table.share(this.marks.kernel[mark]))));
  }

  // A mark drawn once, to be stamped many times.
  sprite(series, radius, ring) {
    const rounded = Math.round(2 * radius) / 2, key = `${series} ${rounded} ${ring}`;
    let made = this.sprites.get(key);
    if (made) return made;
    const {shape} = this.marks.names[series], colour = this.colours[this.marks.names[series].colour], ratio = window.devicePixelRatio || 1;
    const half = Math.ceil(1.5 * rounded + 3);
    const canvas = element('canvas', {width: Math.ceil(2 * half * ratio), height: Math.ceil(2 * half * ratio)});
    const pen = canvas.getContext('2d');
    pen.scale(ratio, ratio);
    traceShape(pen, shape, half, half, rounded);
    pen.fillStyle = ring ? this.colours.ground : colour;
    pen.fill();
    pen.strokeStyle = ring ? colour : this.colours['mark-edge'];
    pen.lineWidth = ring ? 2 : 0.8;
    if (ring || this.marks.count <= MANY) pen.stroke();  // edges of many marks would hide their colours
    made = {canvas, half};
    this.sprites.set(key, made);
    return made;
  }

  stamp(series, x, y, radius, ring = false) {
    const {canvas, half} = this.sprite(series, radius, ring);
    this.context.drawImage(canvas, x - half, y - half, 2 * half, 2 * half);
  }

  drawMarks() {
    const {marks} = this;
    if (this.spritesFor !== marks) {
      this.sprites.clear();
      this.spritesFor = marks;
    }
    const xs = new Float64Array(marks.count).fill(NaN), ys = new Float64Array(marks.count).fill(NaN);
    this.drawnMarks = 0;
    const places = [];
    const seen = marks.count > MANY ? new Set() : null;
    for (let mark = 0; mark < marks.count; mark++) {
      if (!this.visible(mark) || !this.x.holds(marks.x[mark]) || !this.y.holds(marks.y[mark])) continue;
      const x = xs[mark] = this.x.place(marks.x[mark]), y = ys[mark] = this.y.place(marks.y[mark]);
      const lit = this.found && this.found[marks.kernel[mark]];
      if (seen && !lit) {
        const key = (Math.round(x / 1.5) * 8192 + Math.round(y / 1.5)) * 16 + marks.series[mark];
        if (seen.has(key)) continue;
        seen.add(key);
      }
      places.push(mark);
    }
    this.index = new SpatialIndex(xs, ys, this.width, this.height);
    this.xs = xs;
    this.ys = ys;
    const dim = (mark) => this.found && !this.found[marks.kernel[mark]];
    for (const late of this.found ? [false, true] : [false]) {
      for (const mark of places) {
        if (this.found && dim(mark) === late) continue;
        this.drawMark(mark, dim(mark) ? 0.13 : 1, late);
      }
    }
    this.lit = places.filter((mark) => !dim(mark));
    if (this.selected >= 0) this.ringAround(this.selected);
    this.emptyNote();
  }

  drawMark(mark, opacity, lit) {
    const {context, marks} = this, radius = this.radius(mark), series = marks.series[mark];
    context.globalAlpha = opacity;
    if (marks.endX) {
      const x = this.x.place(marks.endX[mark]), y = this.y.place(marks.endY[mark]);
      if (marks.endX[mark] > 0 && marks.endY[mark] > 0 && Number.isFinite(x + y)) {
        context.strokeStyle = this.colours[marks.names[series].colour];
        context.lineWidth = 1.5;
        context.beginPath();
        context.moveTo(this.xs[mark], this.ys[mark]);
        context.lineTo(x, y);
        context.stroke();
        this.stamp(series, x, y, Math.max(3, 0.7 * radius), true);
        if (opacity === 1) this.occupy(x, y, 2 * radius, 2 * radius);
      }
    }
    this.stamp(series, this.xs[mark], this.ys[mark], radius);
    if (lit && this.marks.count <= MANY) {
      context.strokeStyle = this.colours.text;
      context.lineWidth = 1.5;
      context.beginPath();
      context.arc(this.xs[mark], this.ys[mark], 1.35 * radius + 3, 0, 2 * Math.PI);
      context.stroke();
    }
    context.globalAlpha = 1;
    this.drawnMarks++;
    if (opacity === 1) this.occupy(this.xs[mark], this.ys[mark], 2 * radius, 2 * radius);
  }

  // Names of the longest kernels, beside their marks, where there is room.
  drawNames() {
    const {context, marks, table} = this;
    context.font = `${TICK_SIZE}px ${this.font}`;
    const named = new Set();
    for (const mark of this.lit.slice(0, 80)) {
      if (named.size === LABELLED) break;
      const kernel = marks.kernel[mark], group = table.groupOf(kernel);
      if (named.has(group)) continue;
      const one = table.text('layer', kernel) || table.name(kernel);
      const label = shortened(group.kernels.length > 1 ? group.name : one, 28), width = context.measureText(label).width;
      const radius = this.radius(mark), x = this.xs[mark], y = this.ys[mark];
      const aside = 1.3 * radius + 8 + width / 2, above = radius + 14;
      const free = [[aside, 0], [-aside, 0], [0, -above], [0, above], [aside, -above], [-aside, -above], [aside, above], [-aside, above]]
        .find(([dx, dy]) => this.claim(x + dx, y + dy, width, TICK_SIZE));
      if (!free) continue;
      this.text(label, x + free[0], y + free[1], {colour: 'text', halo: true});
      named.add(group);
    }
  }

  ringAround(kernel) {
    const {context, marks} = this;
    for (let mark = 0; mark < marks.count; mark++) {
      if (marks.kernel[mark] !== kernel || Number.isNaN(this.xs[mark])) continue;
      context.strokeStyle = this.colours.accent;
      context.lineWidth = 3;
      context.beginPath();
      context.arc(this.xs[mark], this.ys[mark], 1.35 * this.radius(mark) + 4, 0, 2 * Math.PI);
      context.stroke();
    }
  }

  emptyNote() {
    if (this.marks.count > 0) return;
    this.text('No kernel has the numbers that this chart needs.', (this.left + this.right) / 2, (this.top + this.bottom) / 2,
      {colour: 'text', size: 14});
  }

  // The mark pointed at, over everything.
  drawFocus() {
    if (this.pointed < 0 || Number.isNaN(this.xs[this.pointed])) return;
    const x = this.xs[this.pointed], y = this.ys[this.pointed], {context} = this;
    context.setLineDash([3, 3]);
    this.line(x, y, x, this.bottom, 'quiet');
    this.line(this.left, y, x, y, 'quiet');
    context.setLineDash([]);
    this.stamp(this.marks.series[this.pointed], x, y, this.radius(this.pointed) + 2);
  }

  // Shows the numbers of a mark; -1 for none.
  pointAt(mark) {
    if (mark === this.pointed) return;
    this.pointed = mark;
    this.draw();
    if (mark < 0) {
      this.tip.hidden = true;
      return;
    }
    const kernel = this.marks.kernel[mark];
    this.tip.replaceChildren(...this.describe(kernel, this.marks.names[this.marks.series[mark]].name));
    this.tip.hidden = false;
    const {offsetWidth, offsetHeight} = this.tip, x = this.xs[mark], y = this.ys[mark];
    const left = x + 18 + offsetWidth < this.width ? x + 18 : Math.max(0, x - 18 - offsetWidth);
    const top = Math.min(Math.max(0, y - offsetHeight / 2), Math.max(0, this.height - offsetHeight));
    this.tip.style.transform = `translate(${Math.round(left)}px, ${Math.round(top)}px)`;
  }

  select(kernel) {
    this.selected = kernel;
    this.draw();
  }

  placeOf(event) {
    const box = this.canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  moved(event) {
    const [x, y] = this.placeOf(event);
    if (this.drag) {
      const {from, range} = this.drag;
      if (Math.hypot(x - from[0], y - from[1]) > 4) this.drag.far = true;
      if (!this.drag.far) return;
      const shift = (pair, decades) => pair.map((value) => value * 10 ** decades);
      this.range = {x: shift(range.x, (from[0] - x) / this.x.perDecade), y: shift(range.y, (from[1] - y) / this.y.perDecade)};
      this.pointAt(-1);
      this.draw();
      return;
    }
    if (this.index) this.pointAt(this.index.nearest(x, y, () => true));
  }

  pressed(event) {
    if (event.button !== 0) return;
    this.drag = {from: this.placeOf(event), range: this.range, far: false};
    this.canvas.setPointerCapture(event.pointerId);
  }

  released() {
    if (this.drag && !this.drag.far) this.chosen(this.pointed < 0 ? -1 : this.marks.kernel[this.pointed]);
    this.drag = null;
  }

  // Scales the range about a place or the middle; a factor below 1 shows less.
  zoom(factor, event) {
    const about = event ? this.placeOf(event) : [(this.left + this.right) / 2, (this.top + this.bottom) / 2];
    const scaled = (scale, pixel) => {
      const fixed = Math.log10(scale.value(pixel));
      const low = fixed + (scale.logLow - fixed) * factor, high = fixed + (scale.logHigh - fixed) * factor;
      return high - low < 0.05 || high - low > 60 ? [scale.low, scale.high] : [10 ** low, 10 ** high];
    };
    this.range = {x: scaled(this.x, about[0]), y: scaled(this.y, about[1])};
    this.pointAt(-1);
    this.draw();
  }

  // Arrows go from mark to mark in the order of time: right and down to the next shorter.
  key(event) {
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (step) this.stepTo(step);
    else if (event.key === 'Escape') this.escape();
    else if (event.key === 'Enter' && this.pointed >= 0) this.chosen(this.marks.kernel[this.pointed]);
    else if (event.key === '+' || event.key === '=') this.zoom(0.5);
    else if (event.key === '-') this.zoom(2);
    else if (event.key === '0') this.reset();
    else return;
    event.preventDefault();
  }

  escape() {
    this.pointAt(-1);
    this.chosen(-1);
  }

  stepTo(step) {
    const {marks} = this;
    if (!this.xs) return;
    for (let mark = this.pointed < 0 && step < 0 ? marks.count - 1 : this.pointed + step; mark >= 0 && mark < marks.count; mark += step) {
      const asked = !this.found || this.found[marks.kernel[mark]];
      if (asked && !Number.isNaN(this.xs[mark])) return this.pointAt(mark);
    }
  }
}
