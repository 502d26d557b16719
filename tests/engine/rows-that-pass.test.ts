/** A filter over rows at rest: what it does not read is decoded for the rows that pass, and for no others. */

import { afterEach, expect, spyOn, test } from 'bun:test';
import type { Engine } from '#engine';
import type { DatabaseError } from '#failure';
import { RunReader } from '#layout';
import { manualWorld } from '../support/manual-world.ts';
import { createFilled, flushed, memoryEngine, resultOf } from './support/memory-engine.ts';

const engines: Engine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

const columns = [
  { name: 'id', type: 'int64' },
  { name: 'name', type: 'text' },
  { name: 'age', type: 'int64', nullable: true },
  { name: 'size', type: 'int64' },
];
const rows = Array.from({ length: 3_000 }, (_, id) => [
  `${id}`,
  `name ${id}`,
  id % 7 === 0 ? null : `${id % 100}`,
  `${id * 3}`,
]);

async function filled(): Promise<Engine> {
  // No survey reads the table meanwhile.
  const engine = await memoryEngine({ world: manualWorld(), tuning: { memtableBytes: 1 } });
  engines.push(engine);
  await createFilled(engine, { name: 't', columns }, rows);
  await flushed();
  return engine;
}

const col = (column: string) => ({ kind: 'col', scope: 't', column });
const literal = (value: string) => ({ kind: 'lit', value: { type: 'int64', value } });

/** Names and sizes of the rows whose age stands in a relation to 33, or to what dividing by the size gives. */
async function ask(engine: Engine, op: string, right: object = literal('33')) {
  const nodes = {
    t: { kind: 'scan', table: 't', scope: 't' },
    f: { kind: 'filter', input: 't', predicate: { kind: 'binary', op, left: col('age'), right } },
    o: { kind: 'order', input: 'f', terms: [{ expr: col('id') }] },
    p: {
      kind: 'project',
      input: 'o',
      fields: ['name', 'size'].map((as) => ({ as, expr: col(as) })),
    },
  };
  const relation = { nodes, root: { node: 'p', cardinality: 'many' } };
  return (await resultOf(engine, [{ kind: 'query', name: 'q', relation }], 'q'))?.rows;
}

/** How many values of columns that the filter does not read were asked for. */
async function decoded(ask: () => Promise<unknown>): Promise<number> {
  let values = 0;
  const read = RunReader.prototype.column;
  const spy = spyOn(RunReader.prototype, 'column').mockImplementation(function (
    this: RunReader,
    ...[which, run, picked]
  ) {
    const { columns } = this as unknown as { columns: readonly { readonly name: string }[] };
    if (columns[which]?.name !== 'age') values += picked?.count ?? run.to - run.from;
    return read.call(this, which, run, picked);
  });
  try {
    await ask();
  } finally {
    spy.mockRestore();
  }
  return values;
}

const expected = (passes: (age: number) => boolean) =>
  rows.flatMap(([, name, age, size]) =>
    age !== null && passes(Number(age)) ? [[name as string, Number(size)]] : [],
  );

test('few rows pass: the other columns are read for those', async () => {
  const engine = await filled();
  const wanted = expected((age) => age === 33);
  expect(await ask(engine, 'eq')).toEqual(wanted);
  // Name, size and the key that they are ordered by.
  expect(await decoded(() => ask(engine, 'eq'))).toBeLessThanOrEqual(3 * wanted.length);
});

test('many rows pass, or none', async () => {
  const engine = await filled();
  expect(await ask(engine, 'ne')).toEqual(expected((age) => age !== 33));
  expect(await ask(engine, 'gt', literal('100'))).toEqual([]);
});

test('a predicate that can fail fails in the filter', async () => {
  const engine = await filled();
  const zero = { kind: 'binary', op: 'sub', left: col('size'), right: col('size') };
  const right = { kind: 'binary', op: 'div', left: literal('1'), right: zero };
  const failure = await ask(engine, 'eq', right).catch((error: DatabaseError) => error.failure);
  expect(failure).toMatchObject({ reason: 'division_by_zero', execution: { operator: 'filter' } });
});
