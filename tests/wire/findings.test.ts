/** A hopeless document is not searched to its end: nobody reads all that is wrong with it. */

import { describe, expect, test } from 'bun:test';
import { checkProgram, checkQuery } from '#wire';
import { failureOf } from './failure-of.ts';

const findingsMax = 512;

/** An array that counts how many of its elements were looked at. */
function watched<Item>(count: number, item: Item): { readonly items: Item[]; looked: number } {
  const watch = { items: [] as Item[], looked: 0 };
  watch.items = new Proxy(new Array<Item>(count).fill(item), {
    get(target, name, receiver) {
      if (typeof name === 'string' && /^[0-9]+$/.test(name)) watch.looked++;
      return Reflect.get(target, name, receiver);
    },
  });
  return watch;
}

const rowsOf = (rows: unknown, type = 'text') => ({
  nodes: { r: { kind: 'rows', scope: 'r', columns: [{ name: 'a', type }], rows } },
  root: { node: 'r', cardinality: 'many' },
});

describe('the search ends after 512 findings', () => {
  test('among elements', () => {
    const statements = watched(100_000, { kind: 'quey' });
    const { errors } = failureOf(() => checkProgram({ statements: statements.items }));
    expect(errors).toHaveLength(16);
    expect(statements.looked).toBe(findingsMax);
  });

  test('among cells', () => {
    const rows = watched(100_000, [1]);
    failureOf(() => checkQuery(rowsOf(rows.items)));
    // Once piece by piece, up to the first, and once to tell what is wrong.
    expect(rows.looked).toBeLessThanOrEqual(2 * findingsMax + 1);
  });

  test('among rows of a wrong length, and cells of a wrong payload', () => {
    for (const [row, type] of [
      [[], 'text'],
      [['?'], 'bytes'],
      [['maybe'], 'bool'],
    ] as const) {
      const rows = watched(100_000, row as readonly string[]);
      failureOf(() => checkQuery(rowsOf(rows.items, type)));
      // Once for the grammar; lengths once, and once more where payloads are wrong; and until there are enough.
      expect(rows.looked).toBeLessThanOrEqual(300_000 + 4 * findingsMax);
    }
  });

  test('among members', () => {
    let looked = 0;
    const members = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`m${i}`, 1]));
    const body = new Proxy(members, {
      getOwnPropertyDescriptor(target, name) {
        looked++;
        return Reflect.getOwnPropertyDescriptor(target, name);
      },
    });
    failureOf(() => checkProgram(body));
    expect(looked).toBeLessThan(5_000);
  });
});

test('what is found first is told, sorted', () => {
  const rows = [...new Array(20).fill(['ok']), ...new Array(1_000).fill([1])];
  const { detail, errors } = failureOf(() => checkQuery(rowsOf(rows)));
  expect(detail).toContain('/nodes/r/rows/100/0');
  expect(errors).toHaveLength(16);
});
