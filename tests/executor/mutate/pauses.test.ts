/** Mutations of many rows give way to other requests while they write the entries of indexes, too. */

import { expect, test } from 'bun:test';
import type { Row } from '#value';
import { MemoryTransaction } from '../support/memory-transaction.ts';
import { Parameters } from '../support/plans.ts';
import { catalogOf, mutation, run, testWorld } from '../support/run.ts';

const rows = 8_192;
const columns = ['t', 'id', 'a'] as const;

/** How often creating, updating and deleting the rows of a table with so many indexes gives way, when a look at the clock takes some time. */
async function yieldsWith(indexes: number): Promise<number[]> {
  const catalog = catalogOf({
    name: 't',
    columns: [
      { name: 'id', type: 'int64' },
      { name: 'a', type: 'int64' },
    ],
    primary_key: ['id'],
    indexes: Array.from({ length: indexes }, (_, i) => ({ name: `i${i}`, columns: ['a'] })),
  });
  const transaction = new MemoryTransaction();
  const counts: number[] = [];
  for (const kind of ['create', 'update', 'delete'] as const) {
    const world = testWorld(4);
    const p = new Parameters();
    const added = kind === 'create' ? 0 : 7;
    const values = Array.from({ length: rows }, (_, i): Row => [i, i + added]);
    const given = kind === 'delete' ? values.map(([id]): Row => [id as number]) : values;
    const named = kind === 'delete' ? (['t', 'id'] as const) : columns;
    const types = named.slice(1).map(() => 'int64' as const);
    const input = p.rows(types, given);
    await run([mutation(kind, catalog, named, input)], {
      catalog,
      transaction,
      world,
      parameters: p.values,
    });
    counts.push(world.yields);
  }
  return counts;
}

test('each index of a table adds its share', async () => {
  const without = await yieldsWith(0);
  const withFour = await yieldsWith(4);
  for (const [i, count] of without.entries()) {
    // A look at the clock comes every 1,024 rows, and the second one without a pause finds the time used up.
    expect((withFour[i] as number) - count).toBeGreaterThan((4 * rows) / 1_024 / 4);
  }
});
