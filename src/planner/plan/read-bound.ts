/** How many reads by key a program makes at most: a number, or a sum that grows with the rows that come with the program. */

/** `factor` times the numbers of rows that the parameters hold. */
interface ReadTerm {
  readonly factor: number;
  /** Parameters in ascending order, each as often as it counts. Empty: the term is a number. */
  readonly rowsOf: readonly number[];
}

/** The sum of its terms, no two of which multiply the same rows. */
export type ReadBound = readonly ReadTerm[];

export const noReads: ReadBound = [];
export const oneRead: ReadBound = readsOf(1);

/** Larger sums are bounded by nothing. */
const termsMax = 16;

export function readsOf(factor: number): ReadBound {
  return factor === 0 ? noReads : [{ factor, rowsOf: [] }];
}

/** One for each row of the parameter. */
export function readsOfRows(parameter: number): ReadBound {
  return [{ factor: 1, rowsOf: [parameter] }];
}

/** What it is for these parameters of a program. */
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

/** At least the larger of the two, whatever the rows are. */
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

/** Whether the sum is short enough to be counted on with. */
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
