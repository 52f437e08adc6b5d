// Finding the mark nearest to a place among very many: marks sorted into square cells of the screen.

const CELL = 24;  // pixels; also how near is near enough

class SpatialIndex {
  // Places in pixels; marks outside the rectangle, or with NaN, are left out.
  constructor(xs, ys, width, height) {
    this.xs = xs;
    this.ys = ys;
    this.columns = Math.ceil(width / CELL) + 1;
    this.rows = Math.ceil(height / CELL) + 1;
    const cells = this.columns * this.rows;
    this.first = new Uint32Array(cells + 1);
    const cellOf = new Int32Array(xs.length).fill(-1);
    for (let i = 0; i < xs.length; i++) {
      if (!(xs[i] >= 0 && xs[i] <= width && ys[i] >= 0 && ys[i] <= height)) continue;
      cellOf[i] = Math.floor(ys[i] / CELL) * this.columns + Math.floor(xs[i] / CELL);
      this.first[cellOf[i] + 1]++;
    }
    for (let cell = 0; cell < cells; cell++) this.first[cell + 1] += this.first[cell];
    const next = this.first.slice();
    this.marks = new Uint32Array(this.first[cells]);
    for (let i = 0; i < xs.length; i++) {
      if (cellOf[i] >= 0) this.marks[next[cellOf[i]]++] = i;
    }
  }

  // The nearest mark for which `wanted` holds, within a cell's width; -1 for none.
  nearest(x, y, wanted) {
    let best = -1, bestDistance = CELL * CELL;
    const column = Math.floor(x / CELL), row = Math.floor(y / CELL);
    for (let r = Math.max(0, row - 1); r <= Math.min(this.rows - 1, row + 1); r++) {
      for (let c = Math.max(0, column - 1); c <= Math.min(this.columns - 1, column + 1); c++) {
        const cell = r * this.columns + c;
        for (let at = this.first[cell]; at < this.first[cell + 1]; at++) {
          const mark = this.marks[at];
          const distance = (this.xs[mark] - x) ** 2 + (this.ys[mark] - y) ** 2;
          if (distance < bestDistance && wanted(mark)) {
            best = mark;
            bestDistance = distance;
          }
        }
      }
    }
    return best;
  }
}
