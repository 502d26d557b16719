/** Groups by texts that lie as dictionaries in large blocks, and by texts of joined rows: each dictionary numbers them its own way. */

import { afterEach, expect, test } from 'bun:test';
import type { Engine } from '#engine';
import { createFilled, flushed, memoryEngine, resultOf } from './support/memory-engine.ts';

const rows = 6_000;
const engines: Engine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

interface Sale {
  readonly id: number;
  /** Few, others from block to block. */
  readonly city: string;
  readonly kind: string;
  /** Some of them are of no shop. */
  readonly shop: number;
  readonly note: string | null;
}

function saleOf(id: number): Sale {
  const mixed = Math.imul(id, 0x9e3779b1) >>> 8;
  const part = Math.floor(id / 1_500);
  return {
    id,
    city: `city ${(mixed % 5) + 2 * part}`,
    kind: `kind ${mixed % 4}`,
    shop: mixed % 9,
    note: mixed % 11 === 0 ? null : `note ${mixed % 3}`,
  };
}

const shops = Array.from({ length: 7 }, (_, id) => ({ id, owner: `owner ${id % 3}` }));

async function filled(): Promise<Engine> {
  const engine = await memoryEngine({ tuning: { memtableBytes: 1 } });
  engines.push(engine);
  const sale = [
    { name: 'id', type: 'int64' },
    { name: 'city', type: 'text' },
    { name: 'kind', type: 'text' },
    { name: 'shop', type: 'int64' },
    { name: 'note', type: 'text', nullable: true },
  ];
  const shop = [
    { name: 'id', type: 'int64' },
    { name: 'owner', type: 'text' },
  ];
  const sales = Array.from({ length: rows }, (_, id) => saleOf(id));
  const cells = sales.map(({ id, city, kind, shop: at, note }) => [
    `${id}`,
    city,
    kind,
    `${at}`,
    note,
  ]);
  await createFilled(engine, { name: 'sale', columns: sale }, cells);
  await flushed();
  await createFilled(
    engine,
    { name: 'shop', columns: shop },
    shops.map(({ id, owner }) => [`${id}`, owner]),
  );
  await flushed();
  return engine;
}

const col = (scope: string, column: string) => ({ kind: 'col', scope, column });
const sale = { kind: 'scan', table: 'sale', scope: 's' };
const isOf = (city: string) => ({
  kind: 'binary',
  op: 'ne',
  left: col('s', 'city'),
  right: { kind: 'lit', value: { type: 'text', value: city } },
});
const joined = (join: 'inner' | 'left') => ({
  kind: 'join',
  left: 's',
  right: 'p',
  join,
  on: { kind: 'binary', op: 'eq', left: col('s', 'shop'), right: col('p', 'id') },
});

/** Counts by the groups of `of`, in the order of their keys, NULL first. */
function counted(of: (sale: Sale) => readonly (string | null)[] | undefined) {
  const counts = new Map<string, { key: readonly (string | null)[]; count: number }>();
  for (let id = 0; id < rows; id++) {
    const key = of(saleOf(id));
    if (key === undefined) continue;
    const group = counts.get(JSON.stringify(key)) ?? { key, count: 0 };
    group.count++;
    counts.set(JSON.stringify(key), group);
  }
  const rank = (key: readonly (string | null)[]) => key.map((text) => text ?? '').join('\u0000');
  return [...counts.values()]
    .sort((a, b) => (rank(a.key) < rank(b.key) ? -1 : 1))
    .map(({ key, count }) => [...key, count]);
}

async function groups(
  engine: Engine,
  nodes: Record<string, object>,
  by: readonly (readonly [scope: string, column: string])[],
) {
  const input = Object.keys(nodes).at(-1);
  const keys = by.map(([scope, column]) => ({ as: column, expr: col(scope, column) }));
  const aggregate = {
    kind: 'aggregate',
    input,
    scope: 'g',
    groups: keys,
    aggs: [{ fn: 'count', as: 'n' }],
  };
  const terms = by.map(([, column]) => ({ expr: col('g', column) }));
  const all = { ...nodes, g: aggregate, o: { kind: 'order', input: 'g', terms } };
  const relation = { nodes: all, root: { node: 'o', cardinality: 'many' } };
  const answer = await resultOf(engine, [{ kind: 'query', name: 'q', relation }], 'q');
  return answer?.rows;
}

const shopOf = ({ shop }: Sale) => shops[shop]?.owner;

test('texts of a scan', async () => {
  const engine = await filled();
  expect(await groups(engine, { s: sale }, [['s', 'city']])).toEqual(counted(({ city }) => [city]));
  expect(await groups(engine, { s: sale }, [['s', 'note']])).toEqual(counted(({ note }) => [note]));
  const both = [
    ['s', 'city'],
    ['s', 'note'],
  ] as const;
  expect(await groups(engine, { s: sale }, both)).toEqual(
    counted(({ city, note }) => [city, note]),
  );
});

test('several texts of a scan that begins within a block', async () => {
  const engine = await filled();
  const isLate = {
    kind: 'binary',
    op: 'gte',
    left: col('s', 'id'),
    right: { kind: 'lit', value: { type: 'int64', value: '1200' } },
  };
  const nodes = { s: sale, f: { kind: 'filter', input: 's', predicate: isLate } };
  const by = [
    ['s', 'kind'],
    ['s', 'city'],
  ] as const;
  expect(await groups(engine, nodes, by)).toEqual(
    counted(({ id, kind, city }) => (id < 1_200 ? undefined : [kind, city])),
  );
});

test('texts of a scan, below a filter and a projection', async () => {
  const engine = await filled();
  const nodes = {
    s: sale,
    f: { kind: 'filter', input: 's', predicate: isOf('city 4') },
    p: {
      kind: 'project',
      input: 'f',
      scope: 'p',
      fields: [
        { as: 'note', expr: col('s', 'city') },
        { as: 'city', expr: col('s', 'kind') },
      ],
    },
  };
  const by = [
    ['p', 'city'],
    ['p', 'note'],
  ] as const;
  expect(await groups(engine, nodes, by)).toEqual(
    counted(({ city, kind }) => (city === 'city 4' ? undefined : [kind, city])),
  );
});

test('texts of joined rows, with those of a scan beside them', async () => {
  const engine = await filled();
  const nodes = { s: sale, p: { kind: 'scan', table: 'shop', scope: 'p' } };
  const inner = { ...nodes, j: joined('inner') };
  const left = { ...nodes, j: joined('left') };
  const turned = { ...nodes, j: { ...joined('inner'), left: 'p', right: 's' } };
  expect(await groups(engine, inner, [['p', 'owner']])).toEqual(
    counted((of) => (shopOf(of) === undefined ? undefined : [shopOf(of) as string])),
  );
  expect(await groups(engine, left, [['p', 'owner']])).toEqual(
    counted((of) => [shopOf(of) ?? null]),
  );
  expect(
    await groups(engine, left, [
      ['p', 'owner'],
      ['s', 'city'],
    ]),
  ).toEqual(counted((of) => [shopOf(of) ?? null, of.city]));
  const both = [
    ['s', 'kind'],
    ['p', 'owner'],
    ['s', 'city'],
  ] as const;
  for (const nodesOf of [inner, turned]) {
    expect(await groups(engine, nodesOf, both)).toEqual(
      counted((of) =>
        shopOf(of) === undefined ? undefined : [of.kind, shopOf(of) as string, of.city],
      ),
    );
  }
});

test('distinct texts', async () => {
  const engine = await filled();
  const nodes = {
    s: sale,
    p: {
      kind: 'project',
      input: 's',
      scope: 'p',
      fields: [{ as: 'city', expr: col('s', 'city') }],
    },
    d: { kind: 'distinct', input: 'p' },
    o: { kind: 'order', input: 'd', terms: [{ expr: col('p', 'city') }] },
  };
  const relation = { nodes, root: { node: 'o', cardinality: 'many' } };
  const answer = await resultOf(engine, [{ kind: 'query', name: 'q', relation }], 'q');
  expect(answer?.rows).toEqual(counted(({ city }) => [city]).map(([city]) => [city as string]));
});
