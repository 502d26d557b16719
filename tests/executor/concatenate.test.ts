/** The rows of all inputs, one input after the other, in every run. */

import { expect, test } from 'bun:test';
import type { Batch } from '../../src/executor/batch/batch.ts';
import { OperatorProfile } from '../../src/executor/operator-profile.ts';
import { Concatenate } from '../../src/executor/operators/concatenate.ts';
import type { Operator } from '../../src/executor/operators/operator.ts';

/** Hands out batches of these counts in each run. */
function input(counts: readonly number[]): Operator & { isOpen: boolean } {
  let at = 0;
  return {
    site: new OperatorProfile('input', 1),
    isOpen: false,
    open() {
      at = 0;
      this.isOpen = true;
    },
    next: () => {
      const count = counts[at++];
      return count === undefined ? undefined : ({ count } as Batch);
    },
    close() {
      this.isOpen = false;
    },
  };
}

test('opened again, it starts anew with the first input', () => {
  const site = new OperatorProfile('concatenate', 0);
  const inputs = [input([2, 3]), input([]), input([4])];
  const all = new Concatenate(inputs, site);
  for (let run = 1; run <= 2; run++) {
    all.open();
    expect(inputs.map(({ isOpen }) => isOpen)).toEqual([true, true, true]);
    const counts: (number | undefined)[] = [];
    for (let i = 0; i < 4; i++) counts.push((all.next(10) as Batch | undefined)?.count);
    expect(counts).toEqual([2, 3, 4, undefined]);
    expect(site.rowsOut).toBe(9 * run);
    expect(site.calls).toBe(4 * run);
    all.close();
    expect(inputs.map(({ isOpen }) => isOpen)).toEqual([false, false, false]);
  }
});
