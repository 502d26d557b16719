/** The first rows of an order over rows at rest in small blocks: what a scan leaves out is never missed. */

import { afterEach, expect, test } from 'bun:test';
import type { Engine } from '#engine';
import { DatabaseError } from '#failure';
import { createFilled, flushed, memoryEngine, resultOf } from './support/memory-engine.ts';

const rows = 4_000;
const engines: Engine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

const columns = [
  { name: 'id', type: 'int64' },
  { name: 'few', type: 'int64' },
  { name: 'gap', type: 'int64', nullable: true },
  { name: 'price', type: 'float64' },
  { name: 'huge', type: 'int64' },
  { name: 'rare', type: 'int64', nullable: true },
] as const;

type Name = (typeof columns)[number]['name'];
type Shop = Record<Name, number | bigint | null>;

/** Falls and rises, so that blocks differ and the best rows are everywhere. */
function rowOf(id: number): Shop {
  const mixed = Math.imul(id, 0x9e3779b1) >>> 8;
  return {
    id,
    few: mixed % 40,
    // Whole blocks without a value, among others.
    gap: id % 500 < 120 || mixed % 5 === 0 ? null : (mixed % 3_000) - 1_500,
    price: (mixed % 100_000) / 8 - 4_000,
    huge: mixed % 3 === 0 ? 9_007_199_254_740_993n + BigInt(mixed % 50) : mixed % 7_000,
    // NULL late, when the first rows seem to be found.
    rare: id > 3_900 && id < 3_905 ? null : mixed % 900,
  };
}

/** Of 10 and of a thousand rows. */
const blocks = [400, 32_768];

async function filled(blockBytes = 400, count = rows): Promise<Engine> {
  const engine = await memoryEngine({
    tuning: { memtableBytes: 1, blockBytes, flushedTablesMax: 2 },
  });
  engines.push(engine);
  const cells = Array.from({ length: count }, (_, id) => {
    const row = rowOf(id);
    return columns.map(({ name }) => (row[name] === null ? null : String(row[name])));
  });
  await createFilled(engine, { name: 't', columns }, cells);
  await flushed();
  return engine;
}

/** What has to be left of all rows: NULL first, equal rows in the order of their keys. */
function expected(
  terms: readonly (readonly [Name, 'asc' | 'desc'])[],
  limit: number,
  count = rows,
): number[] {
  const compare = (a: Shop, b: Shop) => {
    for (const [name, direction] of terms) {
      const left = a[name] ?? -Infinity;
      const right = b[name] ?? -Infinity;
      if (left !== right) return (left < right ? -1 : 1) * (direction === 'desc' ? -1 : 1);
    }
    return 0;
  };
  const all = Array.from({ length: count }, (_, id) => rowOf(id));
  return all
    .sort(compare)
    .slice(0, limit)
    .map((row) => row.id as number);
}

const col = (column: string, scope = 't') => ({ kind: 'col', scope, column });
const scan = { kind: 'scan', table: 't', scope: 't' };
const orderOf = (
  input: string,
  terms: readonly (readonly [Name, 'asc' | 'desc'])[],
  scope = 't',
) => ({
  kind: 'order',
  input,
  terms: terms.map(([name, direction]) => ({ expr: col(name, scope), desc: direction === 'desc' })),
});
const int = (value: number) => ({ kind: 'lit', value: { type: 'int64', value: String(value) } });
const first = { kind: 'slice', input: 'o', limit: 1 };
const query = (nodes: object, root: string) => {
  const relation = { nodes, root: { node: root, cardinality: 'many' } };
  return [{ kind: 'query', name: 'q', relation }];
};

test.each(blocks)(
  'the first rows of any order are those of the whole table: blocks of %d bytes',
  async (blockBytes) => {
    const engine = await filled(blockBytes);
    for (const name of ['few', 'gap', 'price', 'huge', 'rare'] as const) {
      for (const direction of ['asc', 'desc'] as const) {
        for (const second of [[], [['price', 'desc']], [['gap', 'asc']]] as const) {
          for (const limit of [1, 7, 200]) {
            const terms = [[name, direction] as const, ...second];
            const nodes = {
              s: scan,
              o: orderOf('s', terms),
              l: { kind: 'slice', input: 'o', limit },
            };
            const answer = await resultOf(engine, query(nodes, 'l'), 'q');
            const ids = answer?.rows.map(([id]) => id);
            expect([terms, limit, ids]).toEqual([terms, limit, expected(terms, limit)]);
          }
        }
      }
    }
  },
);

test.each(blocks)(
  'rows at far ranks of any order are those of the whole table: blocks of %d bytes',
  async (blockBytes) => {
    const count = 20_000;
    const engine = await filled(blockBytes, count);
    for (const name of ['gap', 'price', 'huge'] as const) {
      for (const direction of ['asc', 'desc'] as const) {
        const terms = [[name, direction] as const, ['price', 'asc'] as const];
        const all = expected(terms, count, count);
        for (const offset of [8_193, 14_000, 19_998]) {
          const nodes = {
            s: scan,
            o: orderOf('s', terms),
            l: { kind: 'slice', input: 'o', offset, limit: 5 },
          };
          const answer = await resultOf(engine, query(nodes, 'l'), 'q');
          const ids = answer?.rows.map(([id]) => id);
          expect([terms, offset, ids]).toEqual([terms, offset, all.slice(offset, offset + 5)]);
        }
      }
    }
  },
);

test('what lies between may rename columns and leave rows out', async () => {
  const engine = await filled();
  const terms = [['price', 'desc']] as const;
  const isOdd = {
    kind: 'binary',
    op: 'gt',
    left: col('few'),
    right: int(20),
  };
  const fields = [
    { as: 'price', expr: col('gap') },
    { as: 'gap', expr: col('price') },
    { as: 'id', expr: col('id') },
  ];
  const nodes = {
    s: scan,
    f: { kind: 'filter', input: 's', predicate: isOdd },
    p: { kind: 'project', input: 'f', scope: 'p', fields },
    o: orderOf('p', [['gap', 'desc']], 'p'),
    l: { kind: 'slice', input: 'o', limit: 9 },
  };
  const answer = await resultOf(engine, query(nodes, 'l'), 'q');
  const ids = answer?.rows.map((row) => row[2]);
  expect(ids).toEqual(
    expected(terms, rows)
      .filter((id) => (rowOf(id).few as number) > 20)
      .slice(0, 9),
  );
});

test('a row that cannot be among the first fails all the same', async () => {
  const engine = await filled();
  // Of one row, which stands late and among others that are not the first ones.
  const late = 3_777;
  const difference = { kind: 'binary', op: 'sub', left: col('id'), right: int(late) };
  const quotient = { kind: 'binary', op: 'div', left: int(1), right: difference };
  const fields = [
    { as: 'price', expr: col('price') },
    { as: 'q', expr: quotient },
  ];
  const isWhole = { kind: 'binary', op: 'ne', left: quotient, right: int(5) };
  const failing = [
    {
      s: scan,
      p: { kind: 'project', input: 's', scope: 'p', fields },
      o: orderOf('p', [['price', 'desc']], 'p'),
      l: first,
    },
    {
      s: scan,
      f: { kind: 'filter', input: 's', predicate: isWhole },
      o: orderOf('f', [['price', 'desc']]),
      l: first,
    },
    {
      s: scan,
      o: {
        kind: 'order',
        input: 's',
        terms: [{ expr: col('price'), desc: true }, { expr: quotient }],
      },
      l: first,
    },
  ];
  for (const nodes of failing) {
    const failure = await resultOf(engine, query(nodes, 'l'), 'q').catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(DatabaseError);
    expect((failure as DatabaseError).failure.reason).toBe('division_by_zero');
  }
});

test('a sort that runs for each row of another relation begins anew each time', async () => {
  const engine = await filled();
  const few = [39, 3, 20, 0];
  const isSame = { kind: 'binary', op: 'eq', left: col('few'), right: col('n', 'r') };
  const numbers = few.map((n) => [String(n)]);
  const nodes = {
    r: { kind: 'rows', scope: 'r', columns: [{ name: 'n', type: 'int64' }], rows: numbers },
    s: scan,
    f: { kind: 'filter', input: 's', predicate: isSame },
    o: orderOf('f', [['price', 'desc']]),
    l: first,
    p: { kind: 'project', input: 'l', scope: 'p', fields: [{ as: 'id', expr: col('id') }] },
    x: {
      kind: 'project',
      input: 'r',
      scope: 'x',
      fields: [
        { as: 'n', expr: col('n', 'r') },
        { as: 'best', expr: { kind: 'scalar', node: 'p' } },
      ],
    },
    y: { kind: 'order', input: 'x', terms: [{ expr: col('n', 'x'), desc: true }] },
  };
  const answer = await resultOf(engine, query(nodes, 'y'), 'q');
  const byPrice = expected([['price', 'desc']], rows);
  const bestOf = (n: number) => byPrice.find((id) => rowOf(id).few === n) as number;
  expect(answer?.rows).toEqual([39, 20, 3, 0].map((n) => [n, bestOf(n)]));
});
