/** Rare states, each reached through the public interface by an engine with small limits. */

import { afterEach, expect, test } from 'bun:test';
import { systemWorld, type World } from '#base';
import type { Engine, EngineOptions } from '#engine';
import type { Statistics } from '#statistics';
import { createFilled } from '../engine/support/memory-engine.ts';
import { manualWorld } from '../support/manual-world.ts';
import { openMemoryEngine, openTestHandler, testLimits } from './support.ts';

const engines: Engine[] = [];
afterEach(async () => {
  for (const engine of engines.splice(0)) await engine.close();
});

/** Timers do not run: what waits in a queue stays there until `GET /statistics` looks. */
async function opened(more: Partial<EngineOptions>, world: World = manualWorld()) {
  const engine = await openMemoryEngine('direct', world, more);
  engines.push(engine);
  const limits = { ...testLimits, bodyBytesMax: 1 << 16, depthMax: 64 };
  const { send } = openTestHandler({ engine }, { limits });
  const execute = (...statements: readonly object[]) => {
    const named = statements.map((statement, i) => ({ name: `s${i}`, ...statement }));
    const body = JSON.stringify({ statements: named, result: named.at(-1)?.name });
    return send('POST', '/execute', { body, headers: { 'content-type': 'application/json' } });
  };
  const statistics = async () => (await send('GET', '/statistics')).json;
  return { engine, execute, statistics };
}

const int64 = (value: number) => ({ kind: 'lit', value: { type: 'int64', value: `${value}` } });
const col = (column: string) => ({ kind: 'col', scope: 's', column });
const scan = { kind: 'scan', table: 't', scope: 's' };
const columns = [
  { name: 'id', type: 'int64' },
  { name: 'n', type: 'int64' },
];

/** A query of one row that needs no table. */
function constant(value: number) {
  const node = {
    kind: 'rows',
    scope: 'r',
    columns: [{ name: 'a', type: 'int64' }],
    rows: [[`${value}`]],
  };
  return {
    kind: 'query',
    relation: { nodes: { r: node }, root: { node: 'r', cardinality: 'exactly_one' } },
  };
}

test('`dropped`: more statements at once than the queue has places', async () => {
  const { execute, statistics } = await opened({
    feedbackLimits: { waitingMax: 2, pendingMax: 8 },
  });
  const program = Array.from({ length: 5 }, (_, i) => constant(i));
  expect((await execute(...program)).status).toBe(200);
  expect(await statistics()).toMatchObject({ absorbed: 2, dropped: 3 });
});

test('`shed`: more families with something to learn than are published at once', async () => {
  // Half of the rows are found where ten thousandths were expected.
  const wrong: Statistics = {
    rowsOf: () => 10_000_000,
    rowsWithin: () => 10,
    surveyed: () => undefined,
    surveyOf: () => 1,
  };
  const { engine, execute, statistics } = await opened({
    statistics: wrong,
    feedbackLimits: { waitingMax: 64, pendingMax: 1 },
  });
  const rows = Array.from({ length: 4_000 }, (_, i) => [`${i}`, `${i % 2}`]);
  await createFilled(engine, { name: 't', columns }, rows);
  const folded = (fn: string) => ({
    kind: 'query',
    relation: {
      nodes: {
        s: scan,
        f: {
          kind: 'filter',
          input: 's',
          predicate: { kind: 'binary', op: 'eq', left: col('n'), right: int64(0) },
        },
        a: { kind: 'aggregate', input: 'f', scope: 'a', aggs: [{ fn, as: 'm', arg: col('id') }] },
      },
      root: { node: 'a', cardinality: 'exactly_one' },
    },
  });
  for (let turn = 0; turn < 2; turn++) {
    expect((await execute(folded('max'), folded('min'))).status).toBe(200);
  }
  expect(await statistics()).toMatchObject({ dropped: 0, shed: 1 });
});

test('`droppedQueue`: more programs at once than the queue of the corpus has places', async () => {
  const { execute, statistics } = await opened({ capturesCorpus: true, corpusQueueMax: 2 });
  for (let i = 0; i < 5; i++) expect((await execute(constant(i))).status).toBe(200);
  expect((await statistics())['corpus']).toMatchObject({ captured: 2, droppedQueue: 3 });
});

const rowCount = 300;

/** Adds one to all rows of the table. */
const increment = {
  kind: 'update',
  table: 't',
  relation: {
    nodes: {
      s: scan,
      p: {
        kind: 'project',
        input: 's',
        scope: 'p',
        fields: [
          { as: 'id', expr: col('id') },
          { as: 'n', expr: { kind: 'binary', op: 'add', left: col('n'), right: int64(1) } },
        ],
      },
    },
    root: { node: 'p', cardinality: 'many' },
  },
};

test.each([
  [1, true],
  [3, false],
])('409 of a program that has lost its last race: of %d attempts', async (attemptsMax, isLost) => {
  // Each look at the clock takes a millisecond, so that programs give way to each other.
  let now = 0;
  const system = systemWorld();
  const clock = { ...system.clock, monotonicMs: () => (now += 1) };
  const { engine, execute } = await opened({ attemptsMax }, { ...system, clock });
  const rows = Array.from({ length: rowCount }, (_, i) => [`${i}`, '0']);
  await createFilled(engine, { name: 't', columns }, rows);
  const answers = await Promise.all(Array.from({ length: 6 }, () => execute(increment)));
  const lost = answers.filter(({ status }) => status === 409);
  expect(lost.length > 0).toBe(isLost);
  for (const { json } of lost) {
    expect(json).toMatchObject({ code: 'conflict', reason: 'serializable_conflict' });
  }
  const done = answers.filter(({ status }) => status === 200).length;
  expect(done + lost.length).toBe(6);
  const { json } = await execute({
    kind: 'query',
    relation: {
      nodes: {
        s: scan,
        a: {
          kind: 'aggregate',
          input: 's',
          scope: 'a',
          aggs: [{ fn: 'sum', as: 'n', arg: col('n') }],
        },
      },
      root: { node: 'a', cardinality: 'exactly_one' },
    },
  });
  expect(json['result']).toEqual({ n: done * rowCount });
});
