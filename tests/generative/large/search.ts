/** Large tables of seed after seed, until two ways differ or the time is up. */

import { compareLarge } from './compare.ts';

export interface LargeSearch {
  /** Undefined: 10,000 to 70,000, by the seed. */
  readonly rows: number | undefined;
  readonly questions: number;
  /** No seed begins after them. */
  readonly minutes: number;
}

const sizes = [10_000, 18_000, 10_000, 35_000, 12_000, 70_000];

/** False: a difference was found and printed. */
export async function searchLarge(
  seed: number,
  { rows, questions, minutes }: LargeSearch,
): Promise<boolean> {
  const start = performance.now();
  const all = new Map<string, number>();
  let tables = 0;
  for (; performance.now() - start < minutes * 60_000; tables++) {
    const size = rows ?? (sizes[tables % sizes.length] as number);
    const scenario = { seed: seed + tables, rows: size, questions, withMisled: true };
    const { difference, counts } = await compareLarge(scenario);
    for (const [name, n] of counts) all.set(name, (all.get(name) ?? 0) + n);
    console.log(`seed ${scenario.seed}, ${size} rows: ${difference ?? 'no difference'}`);
    if (difference !== undefined) return false;
  }
  for (const [name, n] of [...all].sort()) console.log(`${name.padEnd(40)}${n}`);
  console.log(`\nno difference; ${tables} seeds, ${tables * questions} questions`);
  return true;
}
