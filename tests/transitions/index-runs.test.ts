/** Index builds in runs: what happens beside the reading of a run, and between its tables and its commit. */

import { expect, test } from 'bun:test';
import type { World } from '#base';
import { type Ingestion, type ReadView, StorageError, type Store } from '#storage';
import { cancelTransition, type TransitionHost, TransitionWorker } from '#transitions';
import { claimTransition } from '../../src/transitions/step.ts';
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

/** Everything is flushed and merged. */
async function tidy(db: Workshop): Promise<void> {
  const store = db.engine['database'].store as unknown as { tidy(): Promise<void> };
  await store.tidy();
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

test('a run goes past the log, of a unique index too', async () => {
  for (const isUnique of [false, true]) {
    await using db = await opened(2_000);
    const bytes = () => db.engine.storeStatistics().log.writtenBytes;
    const before = bytes();
    await db.start(buildIndex('v', ['v', 'id'], isUnique));
    await roundsTo(workerOf(db, {}, 5_000));
    expect(bytes() - before).toBeLessThan(20_000);
    expectFine(await audit(db.engine));
  }
});

/** A view that has to be waited for at each read: each call is answered the second time. */
function waiting<View extends ReadView>(view: View): View {
  const asked = new Set<string>();
  const get: ReadView['get'] = (key) => {
    const name = key.toHex();
    if (asked.delete(name)) return view.get(key);
    asked.add(name);
    return Promise.resolve();
  };
  const scan: ReadView['scan'] = (...range) => {
    const cursor = view.scan(...range);
    let hasWaited = false;
    const next = () => {
      hasWaited = !hasWaited;
      return hasWaited ? Promise.resolve() : cursor.next();
    };
    return instead(cursor, { next });
  };
  return instead(view, { get, scan } as Partial<View>);
}

/** Returns `of` with other members. The object itself does not change: it may be a shared constant. */
function instead<T extends object>(of: T, members: Partial<T>): T {
  return new Proxy(of, {
    get: (target, name) => {
      if (Object.hasOwn(members, name)) return Reflect.get(members, name);
      const member = Reflect.get(target, name, target) as unknown;
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

test('a unique index is the same where each read of a run has to be waited for', async () => {
  await using db = await opened(0);
  const rows = Array.from({ length: 1_000 }, (_, i) => [String(i), String((i * 7) % 1_000)]);
  await db.run(mutation('create', 't', columns, ...rows));
  // Early runs are compared by a walk, later ones, beside many entries, one by one.
  const change = async (run: number) => {
    const [gone, moved] = [997 - 31 * run, 991 - 37 * run];
    await db.run(mutation('delete', 't', ['id int64'], [String(gone)]));
    await db.run(mutation('update', 't', columns, [String(moved), String(2_000 + run)]));
    await db.run(
      mutation('create', 't', columns, [String(3_000 + run), String((gone * 7) % 1_000)]),
    );
  };
  let runs = 0;
  const after = async (run: number) => {
    runs = run;
    await change(run);
  };
  const host = hostOf(db, { after });
  const { store } = host;
  const ingest = (): Ingestion | undefined => {
    const ingestion = store.ingest();
    return ingestion && { ...ingestion, snapshot: waiting(ingestion.snapshot) };
  };
  const slow: Store = Object.create(store, {
    ingest: { value: ingest },
    snapshot: { value: () => waiting(store.snapshot()) },
  });
  const worker = new TransitionWorker(
    {
      ...{ world: host.world, store: slow, commit: host.commit },
      get catalog() {
        return host.catalog;
      },
    },
    runsOf(100),
  );
  db.engine['database'].catalogListeners.add(() => worker.wake());
  const id = await db.start(buildIndex('v', ['v'], true));
  await roundsTo(worker);
  expect([(await db.get(id)).state, runs > 8]).toEqual(['ready', true]);
  expectFine(await audit(db.engine));
});

/** The database with a clock that moves on whenever it is read: every second look of the worker ends its slice. `onLook` is told whether the worker rests then. */
function restingHost(db: Workshop, onLook: (rests: number, isResting: boolean) => void) {
  let now = 0;
  let rests = 0;
  let isResting = false;
  const { scheduler, clock } = db.engine['database'].world;
  const look = (): number => {
    onLook(rests, isResting);
    now += 1.1;
    return now;
  };
  const rest = async (): Promise<void> => {
    rests++;
    isResting = true;
    await scheduler.yield();
    isResting = false;
  };
  const world: World = {
    ...db.engine['database'].world,
    clock: { ...clock, monotonicMs: look },
    scheduler: {
      yield: rest,
      afterTurn: (task) => scheduler.afterTurn(task),
      after: (_ms, task) => {
        setImmediate(task);
        return { cancel: () => undefined };
      },
    },
  };
  return Object.create(hostOf(db, {}), { world: { value: world } }) as TransitionHost;
}

test('while the worker rests within a run, nothing of the run goes on', async () => {
  for (const isUnique of [false, true]) {
    await using db = await opened(3_000);
    const id = await db.start(buildIndex('v', ['v', 'id'], isUnique));
    let restsOfAll = 0;
    let looksAtRest = 0;
    const host = restingHost(db, (rests, isResting) => {
      restsOfAll = rests;
      if (isResting) looksAtRest++;
    });
    await roundsTo(new TransitionWorker(host, runsOf(5_000)));
    expect((await db.get(id)).state).toBe('ready');
    expect(restsOfAll).toBeGreaterThan(5);
    expect(looksAtRest).toBe(0);
  }
});

test('a run ends at its number of entries, also in the middle of a block', async () => {
  await using db = await openWorkshop({ blockBytes: 512 });
  await db.run(createTable('t', columns), mutation('create', 't', columns, ...numbered(1_000)));
  await tidy(db);
  const id = await db.start(buildIndex('v', ['v']));
  const ends: number[] = [];
  const worker = workerOf(
    db,
    { before: async () => void ends.push((await db.get(id)).rows_scanned) },
    130,
  );
  await roundsTo(worker);
  expect((await db.get(id)).state).toBe('ready');
  expect(ends).toEqual([0, 130, 260, 390, 520, 650, 780, 910]);
});

test('every scan of a run is closed, of rows and of entries', async () => {
  for (const isUnique of [false, true]) {
    await using db = await opened(300);
    const host = hostOf(db, {});
    const counts = { opened: 0, open: 0 };
    const scan =
      (view: ReadView): ReadView['scan'] =>
      (...given) => {
        const cursor = view.scan(...given);
        counts.opened++;
        counts.open++;
        const close = () => {
          counts.open--;
          cursor.close();
        };
        return instead(cursor, { close });
      };
    const watched = <View extends ReadView>(view: View): View =>
      Object.create(view, { scan: { value: scan(view) } });
    const { store } = host;
    const ingest = () => {
      const ingestion = store.ingest();
      return ingestion && { ...ingestion, snapshot: watched(ingestion.snapshot) };
    };
    const snapshot = () => watched(store.snapshot());
    const watchedStore = Object.create(store, {
      ingest: { value: ingest },
      snapshot: { value: snapshot },
    });
    const worker = new TransitionWorker(
      Object.create(host, { store: { value: watchedStore } }),
      runsOf(100),
    );
    const id = await db.start(buildIndex('v', ['v', 'id'], isUnique));
    await roundsTo(worker);
    expect((await db.get(id)).state).toBe('ready');
    expect(counts.opened).toBeGreaterThanOrEqual(isUnique ? 6 : 3);
    expect(counts.open).toBe(0);
  }
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
    await tidy(db);
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
      if (failures++ === 0)
        throw new StorageError({ kind: 'full', operation: 'write', object: 'a table' });
    },
  });
  await worker.round();
  expect(await worker.round()).toBe(false);
  expect((await db.get(id)).last_error).toBe('no space left on the device: write a table');
  worker.wake();
  while ((await db.get(id)).state !== 'ready') {
    await worker.round();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expectFine(await audit(db.engine));
});

/** Begins a program whose commit waits until it is let go; resolves when it has read what it will. */
async function held(db: Workshop, statement: object): Promise<() => Promise<void>> {
  const { store } = db.engine['database'];
  const gate = Promise.withResolvers<void>();
  const reached = Promise.withResolvers<void>();
  const begin = store.begin.bind(store);
  store.begin = () => {
    store.begin = begin;
    const transaction = begin();
    const commit = transaction.commit.bind(transaction);
    transaction.commit = async (options) => {
      reached.resolve();
      await gate.promise;
      return commit(options);
    };
    return transaction;
  };
  const running = db.run(statement);
  await reached.promise;
  return async () => {
    gate.resolve();
    await running;
  };
}

const createRow = (id: number, v: number) =>
  mutation('create', 't', columns, [String(id), String(v)]);
const deleteRow = (id: number) => mutation('delete', 't', ['id int64'], [String(id)]);

/** Rows 1 to 20 with their numbers as values, and those that are wanted. */
async function openedUnique(...more: readonly (readonly [number, number])[]): Promise<Workshop> {
  const workshop = await openWorkshop();
  const rows = Array.from({ length: 20 }, (_, i) => [String(i + 1), String(i + 1)]);
  const others = more.map(([id, v]) => [String(id), String(v)]);
  await workshop.run(
    createTable('t', columns),
    mutation('create', 't', columns, ...rows, ...others),
  );
  return workshop;
}

test('a unique build in runs finds rows of one tuple in one run, in two, and beside them', async () => {
  const cases: readonly (readonly [string, readonly [number, number][], number])[] = [
    ['in one run', [[21, 20]], 21],
    ['in two runs', [[21, 1]], 21],
    ['in two runs, the first at the bottom', [[21, 1]], 21],
    ['put before the run', [], 30],
    ['put beside the run', [], 31],
    ['put beside one of many runs', [], 31],
  ];
  for (const [what, more, second] of cases) {
    for (const isMended of [false, true]) {
      await using db = await openedUnique(...more);
      const id = await db.start(buildIndex('v', ['v'], true));
      const worker = workerOf(
        db,
        {
          before: async (run) => {
            if (what === 'put beside the run' && run === 1) await db.run(createRow(31, 3));
            if (what.endsWith('many runs') && run === 9) await db.run(createRow(31, 17));
          },
        },
        what.endsWith('many runs') ? 2 : 8,
      );
      if (what === 'put before the run') await db.run(createRow(30, 9));
      while ((await db.get(id)).state === 'building') {
        await worker.round();
        if (what.endsWith('bottom')) await tidy(db);
      }
      if (isMended) await db.run(deleteRow(second));
      await roundsTo(worker);
      expect([what, isMended, (await db.get(id)).state]).toEqual([
        what,
        isMended,
        isMended ? 'ready' : 'failed',
      ]);
      expectFine(await audit(db.engine));
    }
  }
});

test('a row that goes, or changes, beside a unique run leaves no entry', async () => {
  for (const when of ['before', 'after'] as const) {
    await using db = await openedUnique();
    const id = await db.start(buildIndex('v', ['v'], true));
    const change = async (run: number) => {
      if (run !== 1) return;
      await db.run(deleteRow(3), deleteRow(7), createRow(50, 7));
      await db.run(mutation('update', 't', columns, ['4', '40']));
    };
    await roundsTo(workerOf(db, { [when]: change }));
    expect((await db.get(id)).state).toBe('ready');
    expectFine(await audit(db.engine));
  }
});

test('a unique index that is built in many runs, while rows change beside them, equals a fresh one', async () => {
  await using db = await openWorkshop();
  // In the order of the keys values go up and down: entries of the later runs lie between those of the earlier ones.
  const rows = Array.from({ length: 240 }, (_, i) => [String(i), String((i * 77) % 240)]);
  await db.run(createTable('t', columns), mutation('create', 't', columns, ...rows));
  const id = await db.start(buildIndex('v', ['v'], true));
  let at = 0;
  const change = async () => {
    at++;
    const [from, to] = [String((at * 13) % 120), String(120 + ((at * 29) % 120))];
    const values = new Map((await db.rows('t')).map((row) => [String(row['id']), row['v']]));
    const [left, right] = [String(values.get(from)), String(values.get(to))];
    if (at % 3 === 0) await db.run(mutation('update', 't', columns, [from, right], [to, left]));
    else await db.run(mutation('update', 't', columns, [from, String(1_000 + at)], [to, left]));
  };
  await roundsTo(workerOf(db, { before: change, after: change }, 20));
  expect(at).toBeGreaterThan(20);
  expect((await db.get(id)).state).toBe('ready');
  expectFine(await audit(db.engine));
});

test('a program that began before a unique run was added, and commits after it, is not overlooked', async () => {
  await using db = await openedUnique();
  const id = await db.start(buildIndex('v', ['v'], true));
  let commit = async (): Promise<void> => {};
  const beside: Beside = {
    before: async (run) => {
      if (run === 1) commit = await held(db, createRow(60, 6));
    },
    after: async (run) => {
      if (run === 1) setImmediate(() => void commit());
    },
  };
  // There are more runs behind that one: no change of the catalog makes the program begin anew.
  await roundsTo(workerOf(db, beside, 8));
  const { state, last_error } = await db.get(id);
  expect([state, last_error]).toEqual(['failed', expect.stringContaining('same values')]);
});

test('a claim whose entry was hidden beside a unique run becomes the entry', async () => {
  // Rows 5 and 21 have one value; 21 goes in a program that has seen no entry of it.
  await using db = await openedUnique([21, 5]);
  const id = await db.start(buildIndex('v', ['v'], true));
  let commit = async (): Promise<void> => {};
  const worker = workerOf(db, {
    before: async () => {
      commit = await held(db, deleteRow(21));
    },
    after: async () => {
      await db.run(createRow(70, 5));
      await commit();
      await db.run(deleteRow(5));
    },
  });
  await roundsTo(worker);
  expect((await db.get(id)).state).toBe('ready');
  expectFine(await audit(db.engine));
});

test('a run of a worker whose transition was taken over does not count', async () => {
  await using db = await opened(150);
  const id = await db.start(buildIndex('v', ['v']));
  let runs = 0;
  const worker = workerOf(db, {
    before: async (run) => {
      runs = run;
      if (run === 1) await claimTransition(db.engine['database'], Number(id.slice(2)));
    },
  });
  for (let round = 0; (await db.get(id)).state !== 'ready'; round++) {
    expect(round).toBeLessThan(100);
    await worker.round();
  }
  // The first of the two again.
  expect(runs).toBe(3);
  expect((await db.get(id)).rows_scanned).toBe(150);
  expectFine(await audit(db.engine));
});
