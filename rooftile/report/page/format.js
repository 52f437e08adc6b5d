// Numbers as people read them: four significant digits and the prefix that suits, as in the program's own reports.

const PREFIXES = [[1e15, 'P'], [1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'u'],
  [1e-9, 'n']];
const BINARY_PREFIXES = [[2 ** 50, 'Pi'], [2 ** 40, 'Ti'], [2 ** 30, 'Gi'], [2 ** 20, 'Mi'], [2 ** 10, 'Ki'], [1, '']];
const NOTHING = '–';

// With thousands grouped, never an exponent.
function plain(value) {
  if (!Number.isFinite(value)) return value === Infinity ? '∞' : NOTHING;
  return value.toLocaleString('en-US', {maximumFractionDigits: 12});
}

function withPrefix(value, unit, prefixes) {
  if (!Number.isFinite(value)) return plain(value);
  if (value === 0) return `0 ${unit}`;
  const size = Math.abs(value);
  const [factor, prefix] = prefixes.find(([f]) => size >= f * 0.99995) || prefixes[prefixes.length - 1];
  return `${plain(Number((value / factor).toPrecision(4)))} ${prefix}${unit}`;
}

const formatTime = (seconds) => withPrefix(seconds, 's', PREFIXES);
const formatFlops = (flops) => withPrefix(flops, 'FLOP', PREFIXES);
const formatRate = (rate) => withPrefix(rate, 'FLOP/s', PREFIXES);
const formatBandwidth = (rate) => withPrefix(rate, 'B/s', PREFIXES);
const formatBytes = (bytes) => withPrefix(bytes, 'B', BINARY_PREFIXES);
const formatIntensity = (value) => Number.isFinite(value) ? `${plain(Number(value.toPrecision(4)))} FLOP/B` : plain(value);
const formatRatio = (value) => plain(Number(value.toPrecision(3)));
const formatCount = (value) => Number.isFinite(value) ? value.toLocaleString('en-US', {maximumFractionDigits: 3}) : NOTHING;
const formatShare = (share) => Number.isFinite(share) ? `${(100 * share).toFixed(1)} %` : NOTHING;

// A value on an axis, in decimal prefixes: "10 MB"; a plain number without a unit.
const formatTick = (value, unit) => (unit === null ? plain(value) : withPrefix(value, unit, PREFIXES));

// Both ends of a name tell it from others.
function shortened(text, width) {
  const characters = Array.from(text);
  if (characters.length <= width) return text;
  const head = Math.ceil((width - 1) / 2);
  return characters.slice(0, head).join('') + '…' + characters.slice(characters.length - (width - 1 - head)).join('');
}
