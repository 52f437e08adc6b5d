// A logarithmic axis over pixels. Zero has a lane of its own outside the low end, as no logarithm reaches it.

const LANE = 16;  // pixels between the low end and the lane of zeros

class LogScale {
  // The range of values [low, high] over the pixels [from, to]; from > to for an axis that points up.
  constructor(low, high, from, to) {
    Object.assign(this, {low, high, from, to, logLow: Math.log10(low), logHigh: Math.log10(high)});
    this.perDecade = (to - from) / (this.logHigh - this.logLow);
  }

  place(value) {
    if (value > 0) return this.from + (Math.log10(value) - this.logLow) * this.perDecade;
    return this.from - Math.sign(this.to - this.from) * LANE;
  }

  value(pixel) {
    return 10 ** (this.logLow + (pixel - this.from) / this.perDecade);
  }

  holds(value) {
    return value === 0 || (value >= this.low && value <= this.high);
  }

  // Powers of ten, and 2 and 5 times them where there is room; `room` is what a label takes, in pixels.
  ticks(room) {
    const decade = Math.abs(this.perDecade);
    const every = Math.max(1, Math.ceil(room / decade));
    const steps = decade > 3.4 * room ? [1, 2, 5] : [1];
    const found = [];
    for (let power = Math.floor(this.logLow); power <= Math.ceil(this.logHigh); power++) {
      if (power % every !== 0) continue;
      for (const step of steps) {
        const value = Number(`${step}e${power}`);
        if (value >= this.low * 0.9999 && value <= this.high * 1.0001) found.push(value);
      }
    }
    return found;
  }
}

// The range of positive values with room around them; `fallback` where there are none.
function rangeOf(values, fallback) {
  let low = Infinity, high = 0;
  for (const value of values) {
    if (!(value > 0) || value === Infinity) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  if (high === 0) return fallback;
  const room = Math.max(1.6, (high / low) ** 0.06);
  low /= room;
  high *= room;
  if (high / low < 100) {
    const middle = Math.sqrt(high * low);
    [low, high] = [middle / 10, middle * 10];
  }
  return [low, high];
}
