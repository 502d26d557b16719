/**
 * Breadth-first search of a model's states, so that a counterexample is as short as any.
 *
 * A state is a list of parts, each plain JSON and never changed. Equal parts get the same number, so that a state is a short row of numbers
 * (collapse compression, as in SPIN). States seen are kept as 53-bit hashes: among n, n²/2⁵⁴ wrong matches are expected (0.01 at 13 million).
 */

export type Part = object;

export interface Step {
  readonly label: string;
  readonly parts: readonly Part[];
}

export interface Model {
  /** Every state has as many parts as this one. */
  readonly initial: readonly Part[];
  /** Every state one step away, in an order that depends on the state alone. */
  successors(parts: readonly Part[]): readonly Step[];
  /** What is wrong with a state, or ''. */
  violation(parts: readonly Part[]): string;
}

export interface Outcome {
  readonly kind: 'exhausted' | 'stopped' | 'violation';
  readonly states: number;
  readonly depth: number;
  /** What is wrong, and the steps that lead there. */
  readonly what: string;
  readonly path: readonly string[];
}

/** How many states are known, of how many of them the steps are not, and how deep it is. */
export interface Progress {
  readonly states: number;
  readonly open: number;
  readonly depth: number;
}

type Look = (progress: Progress) => void;

/** In states. */
const lookEvery = 1 << 12;

class Parts {
  readonly byNumber: Part[] = [];
  private readonly numbers = new Map<Part | string, number>();

  numberOf(part: Part): number {
    const known = this.numbers.get(part);
    if (known !== undefined) return known;
    const json = JSON.stringify(part);
    const equal = this.numbers.get(json);
    if (equal !== undefined) return equal;
    const number = this.byNumber.push(part) - 1;
    this.numbers.set(part, number).set(json, number);
    return number;
  }
}

/** Hashes of the states seen, in an open-addressing table. */
class Seen {
  private slots = new Float64Array(1 << 16);
  private count = 0;

  /** False if the row was there before. */
  add(row: Int32Array): boolean {
    const hash = hashOf(row);
    if (!insert(this.slots, hash)) return false;
    if (++this.count * 2 > this.slots.length) this.grow();
    return true;
  }

  private grow(): void {
    const grown = new Float64Array(this.slots.length * 4);
    for (const hash of this.slots) if (hash !== 0) insert(grown, hash);
    this.slots = grown;
  }
}

/** 53 bits, never 0. */
function hashOf(row: Int32Array): number {
  let low = 0x9e3779b1;
  let high = 0x85ebca6b;
  for (let i = 0; i < row.length; i++) {
    const part = row[i] as number;
    low = Math.imul(low ^ part, 0xcc9e2d51);
    low ^= low >>> 15;
    high = Math.imul(high ^ (part + i), 0x1b873593);
    high ^= high >>> 13;
  }
  low = Math.imul(low ^ (high >>> 16), 0x85ebca6b);
  high = Math.imul(high ^ (low >>> 13), 0xc2b2ae35);
  return ((high ^ (high >>> 16)) & 0x1f_ffff) * 0x1_0000_0000 + ((low ^ (low >>> 16)) >>> 0) || 1;
}

function insert(slots: Float64Array, hash: number): boolean {
  let slot = hash % slots.length;
  for (; slots[slot] !== 0; slot = (slot + 1) % slots.length) {
    if (slots[slot] === hash) return false;
  }
  slots[slot] = hash;
  return true;
}

/** Rows of equal width that follow each other. */
class Rows {
  private cells: Int32Array;
  private readonly width: number;
  private count = 0;

  constructor(width: number) {
    this.width = width;
    this.cells = new Int32Array(width * 1024);
  }

  /** A place for the next row; it counts once `keep` was called. */
  next(): Int32Array {
    const { width, count } = this;
    if ((count + 1) * width > this.cells.length) {
      const grown = new Int32Array(this.cells.length * 2);
      grown.set(this.cells);
      this.cells = grown;
    }
    return this.at(count);
  }

  keep(): number {
    return this.count++;
  }

  at(row: number): Int32Array {
    return this.cells.subarray(row * this.width, (row + 1) * this.width);
  }
}

class Search {
  states = 0;
  depth = 0;
  private readonly model: Model;
  private readonly parts = new Parts();
  private readonly seen = new Seen();
  private readonly rows: Rows;
  private readonly parents: number[] = [];

  constructor(model: Model) {
    this.model = model;
    this.rows = new Rows(model.initial.length);
  }

  run(statesMax: number, look: Look): Outcome {
    const { model } = this;
    this.add(model.initial, 0);
    let levelEnd = 1;
    for (let at = 0; at < this.states; at++) {
      if (at === levelEnd) [this.depth, levelEnd] = [this.depth + 1, this.states];
      if (at % lookEvery === 0)
        look({ states: this.states, open: this.states - at, depth: this.depth });
      for (const step of model.successors(this.stateAt(at))) {
        if (this.states === statesMax) return this.end('stopped');
        if (!this.add(step.parts, at)) continue;
        const what = model.violation(step.parts);
        if (what !== '') return { ...this.end('violation', what), path: this.pathTo() };
      }
    }
    return this.end('exhausted');
  }

  private end(kind: Outcome['kind'], what = ''): Outcome {
    return { kind, states: this.states, depth: this.depth, what, path: [] };
  }

  private add(state: readonly Part[], parent: number): boolean {
    const row = this.rows.next();
    for (let i = 0; i < row.length; i++) row[i] = this.parts.numberOf(state[i] as Part);
    if (!this.seen.add(row)) return false;
    this.rows.keep();
    this.parents[this.states++] = parent;
    return true;
  }

  private stateAt(state: number): readonly Part[] {
    return Array.from(this.rows.at(state), (number) => this.parts.byNumber[number] as Part);
  }

  /** Labels of the steps to the newest state. */
  private pathTo(): readonly string[] {
    const path: string[] = [];
    for (let at = this.states - 1; at !== 0; at = this.parents[at] as number) {
      path.unshift(this.labelOf(at));
    }
    return path;
  }

  private labelOf(state: number): string {
    const row = this.rows.at(state);
    const steps = this.model.successors(this.stateAt(this.parents[state] as number));
    const isIt = (part: Part, i: number): boolean => this.parts.numberOf(part) === row[i];
    return steps.find((step) => step.parts.every(isIt))?.label ?? '';
  }
}

/** Gives up, `stopped`, at so many states. `look` is told how far it is, now and then. */
export function explore(model: Model, statesMax: number, look: Look = () => {}): Outcome {
  return new Search(model).run(statesMax, look);
}
