/** Index builds in runs: what happens beside the reading of a run, and between its tables and its commit. */

import { expect, test } from 'bun:test';
import type { Ingestion, Store } from '#storage';
import { cancelTransition, type TransitionHost, TransitionWorker } from '#transitions';
import { audit } from './audit.ts';
import {
  buildIndex,
  createTable,
  expectFine,
  mutation,
  openWorkshop,
  runsOf,
  type Workshop,
} from './support.ts';

const columns = ['id int64', 'v int64?'] as const;
const numbered = (count: number) =>
  Array.from({ length: count }, (_, i) => [String(i), i % 7 === 0 ? null : String((i * 37) % 50)]);

async function opened(count: number): Promise<Workshop> {
  const workshop = await openWorkshop();
  await workshop.run(
    createTable('t', columns),
    mutation('create', 't', columns, ...numbered(count)),
  );
  return workshop;
}

interface Beside {
  /** Its rows are read. */
  readonly before?: (run: number) => Promise<unknown>;
  /** Its tables are there, its commit is not. */
  readonly after?: (run: number) => Promise<unknown>;
}

/** The database, with something going on at two places of each run. */
function hostOf(db: Workshop, { before, after }: Beside): TransitionHost {
  const database = db.engine['database'];
  let runs = 0;
  const ingest = (): Ingestion | undefined => {
    const ingestion = database.store.ingest();
    if (ingestion === undefined) return undefined;
    const add: Ingestion['add'] = async (...added) => {
      runs++;
      await before?.(runs);
      const isAdded = await ingestion.add(...added);
      await after?.(runs);
      return isAdded;
    };
    return { ...ingestion, add };
  };
  const store: Store = Object.create(database.store, { ingest: { value: ingest } });
  return {
    store,
    world: database.world,
    get catalog() {
      return database.catalog;
    },
    commit: (transaction, move, isCurrent) => database.commit(transaction, move, isCurrent),
  };
}

function workerOf(db: Workshop, beside: Beside, entries = 100): TransitionWorker {
  const worker = new TransitionWorker(hostOf(db, beside), runsOf(entries));
  db.engine['database'].catalogListeners.add(() => worker.wake());
  return worker;
}

async function roundsTo(worker: TransitionWorker): Promise<void> {
  while (await worker.round());
}

test('an index that is built in runs, while rows change beside them, equals a fresh one', async () => {
  await using db = await opened(450);
  const change = async (at: number) => {
    // Those whose numbers are multiples of three go, one by one; others change.
    const id = (i: number) => String(3 * ((at * 41 + i * 17) % 150) + 1);
    await db.run(mutation('update', 't', columns, [id(0), '7'], [id(1), null]));
    await db.run(mutation('delete', 't', ['id int64'], [String(39 * (at - 1))]));
    await db.run(mutation('create', 't', columns, [String(1000 + at), '8']));
  };
  let runs = 0;
  const worker = workerOf(db, {
    before: async (run) => change(2 * run),
    after: async (run) => {
      runs = run;
      await change(2 * run + 1);
    },
  });
  const id = await db.start(buildIndex('v', ['v']));
  await roundsTo(worker);
  expect(runs).toBeGreaterThanOrEqual(4);
  const { rows_scanned, state } = await db.get(id);
  expect(state).toBe('ready');
  expect(rows_scanned).toBeGreaterThan(430);
  expectFine(await audit(db.engine));
});

test('a run goes past the log', async () => {
  await using db = await opened(2_000);
  const bytes = () => db.engine.storeStatistics().log.writtenBytes;
  const before = bytes();
  await db.start(buildIndex('v', ['v', 'id']));
  await roundsTo(workerOf(db, {}, 5_000));
  expect(bytes() - before).toBeLessThan(20_000);
  expectFine(await audit(db.engine));
});

test('a table that gets other names and columns meanwhile does not disturb a run', async () => {
  await using db = await opened(250);
  const id = await db.start(buildIndex('v', ['v']));
  let at = 0;
  const rename = async () => {
    at++;
    const column = { name: `w${at}`, type: 'text', nullable: true };
    await db.run(
      { kind: 'rename_table', table_id: 1, to: `t${at}` },
      { kind: 'create_column', table_id: 1, column },
    );
  };
  await roundsTo(workerOf(db, { before: rename, after: rename }));
  expect((await db.get(id)).state).toBe('ready');
  expect(at).toBe(6);
  expectFine(await audit(db.engine));
});

test('a build that is cancelled beside a run leaves nothing of it', async () => {
  for (const when of ['before', 'after'] as const) {
    await using db = await opened(250);
    const id = await db.start(buildIndex('v', ['v']));
    const cancel = async (run: number) => {
      if (run === 2) await cancelTransition(db.engine['database'], id);
    };
    await roundsTo(workerOf(db, { [when]: cancel }));
    expect((await db.get(id)).state).toBe('cancelled');
    const store = db.engine['database'].store as unknown as { tidy(): Promise<void> };
    await store.tidy();
    const { runs } = db.engine.storeStatistics();
    expect(runs.reduce((sum, run) => sum + run.entries, 0)).toBeLessThan(300);
    expectFine(await audit(db.engine));
  }
});

test('a worker that is stopped gives a run up, and the next one makes it again', async () => {
  await using db = await opened(10_000);
  const id = await db.start(buildIndex('v', ['v']));
  const worker = new TransitionWorker(hostOf(db, {}), runsOf(1 << 20));
  worker.start();
  // It has the transition, and reads: that takes more than one slice.
  while ((await db.get(id)).generation < 1) await new Promise((resolve) => setImmediate(resolve));
  await worker.stop();
  expect((await db.get(id)).state).toBe('building');
  expect((await db.get(id)).rows_scanned).toBe(0);
  expect(db.engine.storeStatistics().views).toBe(0);
  await roundsTo(workerOf(db, {}, 6_000));
  expect((await db.get(id)).state).toBe('ready');
  expectFine(await audit(db.engine));
});

test('a tuple that is too long makes a build in runs fail', async () => {
  await using db = await openWorkshop();
  const texts = ['id int64', 'v text'] as const;
  await db.run(createTable('t', texts));
  await db.run(mutation('create', 't', texts, ['1', 'a'], ['2', 'x'.repeat(20_000)]));
  const id = await db.start(buildIndex('v', ['v']));
  await roundsTo(workerOf(db, {}));
  const { state, last_error } = await db.get(id);
  expect(state).toBe('failed');
  expect(last_error).toMatch(/at most 16384/);
});

test('a run that finds no room is told, tried again, and entered once', async () => {
  await using db = await opened(150);
  const id = await db.start(buildIndex('v', ['v']));
  let failures = 0;
  const worker = workerOf(db, {
    before: async () => {
      if (failures++ === 0) throw new Error('there is no room');
    },
  });
  await worker.round();
  expect(await worker.round()).toBe(false);
  expect((await db.get(id)).last_error).toBe('there is no room');
  worker.wake();
  while ((await db.get(id)).state !== 'ready') {
    await worker.round();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expectFine(await audit(db.engine));
});
