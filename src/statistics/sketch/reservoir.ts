/** An evenly drawn part of the values that went by (Vitter's algorithm R), and the bounds that cut it into parts of equal size. */

const capacity = 2_048;
const buckets = 64;

export class Reservoir<Value> {
  private readonly values: Value[] = [];
  private seen = 0;
  private readonly unit: () => number;

  /** `unit` draws from [0, 1). */
  constructor(unit: () => number) {
    this.unit = unit;
  }

  add(value: Value): void {
    this.seen++;
    if (this.values.length < capacity) {
      this.values.push(value);
      return;
    }
    const place = Math.floor(this.unit() * this.seen);
    if (place < capacity) this.values[place] = value;
  }

  /** 65 bounds of 64 ranges that hold about as many values each, the ends included; none without values. */
  bounds(compare: (left: Value, right: Value) => number): readonly Value[] {
    const sorted = [...this.values].sort(compare);
    const last = sorted.length - 1;
    if (last < 0) return [];
    const at = (bucket: number) => sorted[Math.round((bucket * last) / buckets)] as Value;
    return Array.from({ length: buckets + 1 }, (_, bucket) => at(bucket));
  }
}
