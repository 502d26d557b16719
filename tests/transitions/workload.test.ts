/** Clients at work during each kind of transition: every answer is right, and the end equals a fresh build. */

import { expect, test } from 'bun:test';
import type { Ingestion } from '#storage';
import { type TransitionHost, TransitionWorker } from '#transitions';
import type { ScalarType } from '#value';
import { seededRandom } from '../support/seeded-random.ts';
import { audit, storedRows } from './audit.ts';
import { Client, type Rules } from './client.ts';
import { buildIndex, createTable, mutation, openWorkshop, runsOf, type Typed } from './support.ts';

const clientCount = 8;
const busyStore = {
  memtableBytes: 4_000,
  tableBytes: 6_000,
  blockBytes: 512,
  flushedTablesMax: 1,
} as const;
const rowsEach = 30;

interface Case {
  readonly type: ScalarType;
  readonly rules: Rules;
  readonly start: object;
  /** The index is built in runs, over a store that flushes and merges all the time. */
  readonly inRuns?: true;
}

const onT = (start: object) => ({ ...start, table_id: 2 });
const toInt64 = { type: 'int64', nullable: true };
const notNull = { name: 'c', kind: 'not_null', column_id: 2 };
const key = { name: 'fk', columns: ['v'], ref_table: 'p', ref_columns: ['id'] };

const cases: Readonly<Record<string, Case>> = {
  'an index build': {
    type: 'int64',
    rules: { unique: false },
    start: onT(buildIndex('i', ['v'])),
  },
  'an index build in runs': {
    type: 'int64',
    rules: { unique: false },
    start: onT(buildIndex('i', ['v'])),
    inRuns: true,
  },
  'a unique index build': {
    type: 'int64',
    rules: { unique: true },
    start: onT(buildIndex('i', ['v'], true)),
  },
  'a unique index build that fails': {
    type: 'int64',
    rules: { unique: false },
    start: onT(buildIndex('i', ['v'], true)),
  },
  'a unique index build in runs': {
    type: 'int64',
    rules: { unique: true },
    start: onT(buildIndex('i', ['v'], true)),
    inRuns: true,
  },
  'a unique index build in runs that fails': {
    type: 'int64',
    rules: { unique: false },
    start: onT(buildIndex('i', ['v'], true)),
    inRuns: true,
  },
  'a column replacement': {
    type: 'text',
    rules: { unique: false, forbidden: 'x' },
    start: {
      kind: 'start_column_replacement',
      table_id: 2,
      column_id: 2,
      replacement: toInt64,
    },
  },
  'a not-null validation': {
    type: 'int64',
    rules: { unique: false, forbidden: null },
    start: { kind: 'start_constraint_validation', table_id: 2, constraint: notNull },
  },
  'a foreign key': {
    type: 'int64',
    rules: { unique: false, forbidden: '999' },
    start: {
      kind: 'start_constraint_validation',
      table_id: 2,
      constraint: { name: 'c', kind: 'foreign_key', foreign_key: key },
    },
  },
};

/** Between what a step reads and its commit others have a turn: it has to notice what they change. */
function dawdling(host: TransitionHost): TransitionHost {
  const turns = async () => {
    for (let i = 0; i < 5; i++) await host.world.scheduler.yield();
  };
  const ingest = (): Ingestion | undefined => {
    const ingestion = host.store.ingest();
    if (ingestion === undefined) return undefined;
    const add: Ingestion['add'] = async (...added) => {
      await turns();
      const isAdded = await ingestion.add(...added);
      await turns();
      return isAdded;
    };
    return { ...ingestion, add };
  };
  return {
    store: Object.create(host.store, { ingest: { value: ingest } }),
    world: host.world,
    get catalog() {
      return host.catalog;
    },
    commit: async (...commit) => {
      await host.world.scheduler.yield();
      return host.commit(...commit);
    },
  };
}

async function everyValue(clients: number): Promise<readonly (readonly string[])[]> {
  return Array.from({ length: clients }, (_, n) =>
    Array.from({ length: 60 }, (_, i) => [String((n + 1) * 1_000_000 + i)]),
  ).flat();
}

test.each(Object.entries(cases))(
  '%s',
  async (name, { type, rules, start, inRuns }) => {
    const unit = seededRandom(name.length);
    await using db = await openWorkshop(inRuns ? busyStore : {});
    await db.run(
      createTable('p', ['id int64']),
      createTable('t', ['id int64', `v ${type}?` as Typed]),
    );
    await db.run(mutation('create', 'p', ['id int64'], ...(await everyValue(clientCount))));
    const clients = Array.from(
      { length: clientCount },
      (_, n) => new Client(db, n + 1, { unit, rules, type }),
    );
    const seeds = clients.flatMap((client) => client.seed(rowsEach));
    await db.run(mutation('create', 't', ['id int64', `v ${type}` as Typed], ...seeds));

    const options = { stepRows: 16, ...(inRuns && runsOf(60)) };
    const worker = new TransitionWorker(dawdling(db.engine['database']), options);
    db.engine['database'].catalogListeners.add(() => worker.wake());
    const id = await db.start(start);
    let isOver = false;
    worker.start();
    const watch = (async () => {
      for (let generation = 0; !isOver; ) {
        const path = `/schema/transitions/${id}?wait=1s&generation=${generation}`;
        const control = (await db.send('GET', path)).json as { state: string; generation: number };
        ({ generation } = control);
        isOver = ['ready', 'failed'].includes(control.state);
      }
    })();
    const run = async (client: Client) => {
      // Some operations follow the end.
      for (let after = 0; after < 15; after += isOver ? 1 : 0) {
        await client.act();
        // Requests over sockets take turns; here nothing else would let the worker have one.
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    await Promise.all([watch, ...clients.map(run)]);
    await worker.stop();

    const { state } = await db.get(id);
    expect(state).toBe(name.endsWith('fails') ? 'failed' : 'ready');
    await db.settle();
    expect(await audit(db.engine)).toEqual([]);
    const [, table] = db.engine.catalog.tables;
    const rows = await storedRows(db.engine, table as never);
    const wanted = clients.flatMap(({ rows }) => [...rows]);
    expect(rows.map(([id, v]) => [id, Number(v)])).toEqual(wanted.toSorted(([a], [b]) => a - b));
    const gates = clients.reduce((sum, client) => sum + client.gates, 0);
    expect(gates).toBeLessThanOrEqual(clientCount);
  },
  120_000,
);
