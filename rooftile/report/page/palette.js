// The palette of palette.cpp: each colour in its light and its dark shade (a test compares the two files), and a shape
// for each, so that no meaning hangs on colour alone. A colour is known by its custom property, "series-3".

const COLOURS = [
  ['#215cff', '#4f8dff'], ['#c26a00', '#f2a93b'], ['#0aa55a', '#35d98a'], ['#df5ec1', '#b552b5'], ['#005269', '#b5f2f5'],
  ['#8c1d00', '#e0442e'], ['#7817b4', '#d0b0ff'], ['#757575', '#909090'], ['#6b7a00', '#c9d94a'], ['#5b3a1e', '#c79a6b'],
  ['#8d7fb0', '#6f7f9a'],
];
const APART = 8;  // the others are for stalls, of which there are many
const SHAPES = ['circle', 'square', 'triangle', 'diamond', 'down', 'star', 'cross', 'bar'];

// The same limit has the same colour everywhere, and a memory level that of the limit that it is; by place in COLOURS.
const LIMIT_COLOURS = {compute: 0, smem: 4, latency: 3, l1: 2, l2: 6, dram: 1, bandwidth: 1, power: 5, launch: 7};
const LEVEL_COLOURS = {DRAM: 1, L1: 2, MALL: 4, L2: 6};
// A reason to stall has that of the limit that shows as it.
const STALL_COLOURS = {pipe_busy: 0, memory_dependency: 1, memory_throttle: 2, constant_memory_dependency: 3, exec_dependency: 4,
  sleeping: 5, texture: 6, other: 7, inst_fetch: 8, sync: 9, not_selected: 10};

const seriesColour = (place) => `series-${place % COLOURS.length}`;
const colourOf = (colour) => `var(--${colour})`;
const textOn = (colour) => `var(--on-${colour})`;

// Black or white, whichever reads better on a colour.
function blackOrWhite(colour) {
  const channel = (at) => {
    const share = parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  const luminance = 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
  return luminance > 0.179 ? '#000000' : '#ffffff';
}

COLOURS.forEach(([light, dark], place) => {
  const {style} = document.documentElement;
  style.setProperty(`--${seriesColour(place)}`, `light-dark(${light}, ${dark})`);
  style.setProperty(`--on-${seriesColour(place)}`, `light-dark(${blackOrWhite(light)}, ${blackOrWhite(dark)})`);
});

// Corners of a shape about the origin, for a radius of one; nothing for a circle. All shapes weigh about the same.
const SHAPE_CORNERS = {
  square: [[-0.88, -0.88], [0.88, -0.88], [0.88, 0.88], [-0.88, 0.88]],
  triangle: [[0, -1.2], [1.1, 0.8], [-1.1, 0.8]],
  down: [[0, 1.2], [1.1, -0.8], [-1.1, -0.8]],
  diamond: [[0, -1.25], [1.25, 0], [0, 1.25], [-1.25, 0]],
  star: Array.from({length: 10}, (_, i) => {
    const radius = i % 2 ? 0.55 : 1.35, angle = Math.PI * (i / 5 - 0.5);
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  }),
  cross: [[-0.4, -1.2], [0.4, -1.2], [0.4, -0.4], [1.2, -0.4], [1.2, 0.4], [0.4, 0.4], [0.4, 1.2], [-0.4, 1.2], [-0.4, 0.4],
    [-1.2, 0.4], [-1.2, -0.4], [-0.4, -0.4]],
  bar: [[-1.3, -0.55], [1.3, -0.55], [1.3, 0.55], [-1.3, 0.55]],
};

function traceShape(path, shape, x, y, radius) {
  const corners = SHAPE_CORNERS[shape];
  path.beginPath();
  if (!corners) return path.arc(x, y, radius, 0, 2 * Math.PI);
  corners.forEach(([dx, dy], i) => path[i ? 'lineTo' : 'moveTo'](x + radius * dx, y + radius * dy));
  path.closePath();
}

// A mark for a legend.
function swatch(colour, shape) {
  const svg = svgElement('svg', {viewBox: '-8 -8 16 16', 'aria-hidden': 'true'});
  const style = {style: {fill: colourOf(colour)}, stroke: 'currentColor', 'stroke-width': 0.8};
  const corners = SHAPE_CORNERS[shape];
  svg.append(corners ? svgElement('polygon', {...style, points: corners.map(([x, y]) => `${5.5 * x},${5.5 * y}`).join(' ')}) :
    svgElement('circle', {...style, r: 5.5}));
  return svg;
}

// Buttons that hide and show series: `series` are {name, colour, shape}, `hidden` a set of their places.
function fillLegend(container, series, hidden, changed) {
  container.replaceChildren(...series.map((one, place) => {
    const button = element('button', {type: 'button', 'aria-pressed': String(!hidden.has(place)), title: one.name},
      swatch(one.colour, one.shape), element('span', {}, one.name));
    button.addEventListener('click', () => {
      if (!hidden.delete(place)) hidden.add(place);
      button.setAttribute('aria-pressed', String(!hidden.has(place)));
      changed();
    });
    return button;
  }));
}
