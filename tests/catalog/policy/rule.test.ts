/** The rule of a table is found among the policies of many tables. */

import { expect, test } from 'bun:test';
import { conditionFor, hasPolicy, type Policies } from '#catalog';

/** Policies of every second table, and the number of entries that were read. */
function counted(count: number) {
  const reads = { count: 0 };
  const entries = Array.from({ length: count }, (_, i) => ({ table: 2 * i, read: 'all' as const }));
  const tables = new Proxy(entries, {
    get: (list, name) => {
      if (typeof name === 'string' && /^\d+$/.test(name)) reads.count++;
      return Reflect.get(list, name) as unknown;
    },
  });
  return { reads, policies: { claims: [], tables } satisfies Policies };
}

test('a policy among 4,096 is found by a binary search', () => {
  const { reads, policies } = counted(4_096);
  for (const table of [0, 2, 4_000, 8_190]) {
    reads.count = 0;
    expect(hasPolicy({ policies }, table)).toBe(true);
    expect(conditionFor(policies, table, 'read')).toBe('all');
    expect(reads.count).toBeLessThanOrEqual(2 * 14);
  }
});

test('a table without an entry has no policy, wherever its id lies among the others', () => {
  for (const count of [0, 1, 2, 7]) {
    const { policies } = counted(count);
    for (const table of [-1, 1, 3, 13, 15]) {
      expect(hasPolicy({ policies }, table)).toBe(false);
      expect(conditionFor(policies, table, 'read')).toBe('nobody');
    }
  }
});
