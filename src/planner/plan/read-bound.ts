/** The maximum number of reads by key of a program: a number, or a sum that grows with the number of literal rows in the program. */

/** The product of `factor` and the row counts of some parameters. */
interface ReadTerm {
  readonly factor: number;
  /** Indexes of parameters in ascending order. An index occurs once for each factor. If empty, the term is a number. */
  readonly rowsOf: readonly number[];
}

/** A sum of terms. No two terms have the same `rowsOf`. */
export type ReadBound = readonly ReadTerm[];

export const noReads: ReadBound = [];
export const oneRead: ReadBound = readsOf(1);

/** A longer sum counts as unbounded. */
const termsMax = 16;

export function readsOf(factor: number): ReadBound {
  return factor === 0 ? noReads : [{ factor, rowsOf: [] }];
}

/** Returns one read for each row of the parameter. */
export function readsOfRows(parameter: number): ReadBound {
  return [{ factor: 1, rowsOf: [parameter] }];
}

/** Returns the bound for these parameters of a program. */
export function readsAt(bound: ReadBound, parameters: readonly unknown[]): number {
  let sum = 0;
  for (const { factor, rowsOf } of bound) {
    let product = factor;
    for (const parameter of rowsOf) product *= (parameters[parameter] as readonly unknown[]).length;
    sum += product;
  }
  return sum;
}

export function plus(one: ReadBound, other: ReadBound): ReadBound {
  return merged([...one, ...other], (a, b) => a + b);
}

/** Returns a bound that is at least the larger of the two, whatever the row counts are. */
export function larger(one: ReadBound, other: ReadBound): ReadBound {
  return merged([...one, ...other], Math.max);
}

export function times(one: ReadBound, other: ReadBound): ReadBound {
  const terms = one.flatMap((a) =>
    other.map((b) => ({
      factor: a.factor * b.factor,
      rowsOf: [...a.rowsOf, ...b.rowsOf].sort((x, y) => x - y),
    })),
  );
  return merged(terms, (a, b) => a + b);
}

/** Returns whether the sum is short enough to be used in further calculations. */
export function isShort(bound: ReadBound): boolean {
  return bound.length <= termsMax;
}

function merged(terms: ReadBound, both: (a: number, b: number) => number): ReadBound {
  const byRows = new Map<string, ReadTerm>();
  for (const term of terms) {
    const name = term.rowsOf.join();
    const known = byRows.get(name);
    const factor = known === undefined ? term.factor : both(known.factor, term.factor);
    byRows.set(name, { factor, rowsOf: term.rowsOf });
  }
  return [...byRows.values()];
}
