/** A uniform sample of a sequence of values (Vitter's algorithm R), and the bounds of an equi-depth histogram of it. */

const capacity = 2_048;
const buckets = 64;

export class Reservoir<Value> {
  private readonly values: Value[] = [];
  private seen = 0;
  private readonly unit: () => number;

  /** `unit` returns random numbers from [0, 1). */
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

  /** Returns the 65 bounds of 64 ranges with about equal numbers of values, including both ends; empty if there are no values. */
  bounds(compare: (left: Value, right: Value) => number): readonly Value[] {
    const sorted = [...this.values].sort(compare);
    const last = sorted.length - 1;
    if (last < 0) return [];
    const at = (bucket: number) => sorted[Math.round((bucket * last) / buckets)] as Value;
    return Array.from({ length: buckets + 1 }, (_, bucket) => at(bucket));
  }
}
