/**
 * Plans over a bucket that answers in 30 ms: rows by an index that are scattered over the table are fetched one after the other, a scan fetches many
 * neighboring blocks at once. Time is that of the test: nothing sleeps.
 */

import { beforeAll, expect, test } from 'bun:test';
import type { Engine, EngineOptions } from '#engine';
import type { Program } from '#pir';
import type { Statistics } from '#statistics';
import { openDatabaseIn } from '../../src/engine/open.ts';
import { engineOver } from '../../src/engine/open-engine.ts';
import type { LsmStore } from '../../src/storage/assembly/lsm-store.ts';
import { openStoreIn } from '../../src/storage/assembly/open.ts';
import { bucketFeed } from '../../src/storage/manifest/manifest-feed.ts';
import { countedStore } from '../../src/storage/object/counted-store.ts';
import { type MemoryObjects, memoryStore } from '../../src/storage/object/memory-store.ts';
import type { ObjectReader, ObjectStore } from '../../src/storage/object/store.ts';
import { bucketLocation, type StorageLocation } from '../../src/storage/place/location.ts';
import { openReaderIn } from '../../src/storage/reader/open-reader.ts';
import { type ManualWorld, manualWorld, until } from '../support/manual-world.ts';

const rows = 60_000;
/** Rows of each value of `k`, which lie all over the table. */
const rowsOfValue = 750;
/** A scan fetches the table in some forty parts, four at a time. */
const tuning = {
  memtableBytes: 2 << 20,
  cacheBytes: 64 << 20,
  blockBytes: 2_048,
  scanReadAheadBytes: 96 << 10,
};

/** Reads of parts of objects take `ms` of the clock of `world`; 0: they take a turn of the event loop. */
function remoteStore(objects: MemoryObjects, world: ManualWorld, ms: () => number): ObjectStore {
  const store = memoryStore(objects);
  const openRead = (name: string): ObjectReader => {
    const reader = store.openRead(name) as ObjectReader;
    return {
      ...reader,
      remote: { isLocal: () => false, partBytes: undefined },
      async readInto(offset, target) {
        const delayMs = ms();
        if (delayMs > 0) {
          await new Promise<void>((done) => world.scheduler.after(delayMs, done));
        }
        return reader.readInto(offset, target);
      },
    };
  };
  return { ...store, openRead };
}

const objects: MemoryObjects = new Map();
const world = manualWorld();

interface Opened {
  readonly engine: Engine;
  readonly store: LsmStore;
}

async function openedIn(place: StorageLocation, statistics?: Statistics): Promise<Opened> {
  const options: EngineOptions = {
    storage: 's3',
    path: '',
    mode: 'direct',
    world,
    tuning,
    programMemoryBytes: 256 << 20,
    statementTimeoutMs: 0,
    concurrency: 8,
    queueMax: 64,
    holderAddress: 'test',
    worksOnTransitions: false,
    ...(statistics && { statistics }),
  };
  const store = await openStoreIn(place, { ...tuning, storage: 'memory', world });
  return { engine: engineOver(await openDatabaseIn(store, options), options), store };
}

/** A process over the bucket as it was left, with nothing in memory. */
function opened(ms: () => number, statistics?: Statistics): Promise<Opened> {
  const { store, ...counted } = countedStore(remoteStore(objects, world, ms), world.clock);
  const { readMicros } = counted;
  const requests = () => [
    { component: 'db', store: 'main', counts: counted.statistics() } as const,
  ];
  const place = { ...bucketLocation(store), requests, readMicros };
  return until(openedIn(place, statistics), world);
}

const columns = [
  { name: 'id', type: 'int64' as const },
  { name: 'k', type: 'int64' as const },
  { name: 'pad', type: 'text' as const },
];

const execute = (engine: Engine, program: unknown, dryRun = false) =>
  until(engine.execute({ program: () => program as Program, showPlan: dryRun, dryRun }), world);

async function fill({ engine, store }: Opened): Promise<void> {
  const indexes = [{ name: 'by_k', columns: ['k'] }];
  const table = { name: 't', columns, primary_key: ['id'], indexes };
  await until(
    engine.changeCatalog(() => ({ kind: 'create_table', table })),
    world,
  );
  for (let from = 0; from < rows; from += 10_000) {
    const row = (id: number) => [
      String(id),
      String(id % (rows / rowsOfValue)),
      // No two are alike, so that they take their room in the blocks.
      Bun.hash(String(id)).toString(36).padEnd(48, String(id)),
    ];
    const made = {
      kind: 'rows',
      scope: 'r',
      columns,
      rows: Array.from({ length: 10_000 }, (_, i) => row(from + i)),
    };
    const relation = { nodes: { r: made }, root: { node: 'r', cardinality: 'many' } };
    await execute(engine, {
      statements: [{ kind: 'create', name: 'c', table: 't', relation }],
    });
  }
  await until(store.tidy(), world);
}

const ordered = (nodes: object, by: string, scope = 't') => ({
  statements: [
    {
      kind: 'query',
      name: 'q',
      relation: {
        nodes: {
          ...nodes,
          o: { kind: 'order', input: 'n', terms: [{ expr: { kind: 'col', scope, column: by } }] },
        },
        root: { node: 'o', cardinality: 'many' },
      },
    },
  ],
});
const scan = { kind: 'scan', table: 't', scope: 't' };
const equalsSeven = {
  kind: 'binary',
  op: 'eq',
  left: { kind: 'col', scope: 't', column: 'k' },
  right: { kind: 'lit', value: { type: 'int64', value: '7' } },
};
/** All rows of one value of `k`. */
const byValue = ordered(
  { t: scan, n: { kind: 'filter', input: 't', predicate: equalsSeven } },
  'id',
);

interface Shown {
  readonly statements: readonly { readonly text: string }[];
}

/** The text of the plan, once what counting has asked for is there, and what is known of the place is of now. */
async function planIn(engine: Engine): Promise<string> {
  for (let i = 0; i < 3; i++) {
    await execute(engine, byValue, true);
    await until(new Promise<void>((done) => world.scheduler.after(1_000, done)), world);
  }
  const { plan } = await execute(engine, byValue, true);
  return (plan as Shown).statements[0]?.text ?? '';
}

const partsRead = ({ store }: Opened) => store.statistics().objects?.range_read.requests ?? 0;

/** As the planner would know it that knows nothing of the place. */
const blind: Statistics = {
  rowsOf: () => rows,
  rowsWithin: () => rowsOfValue,
  surveyed: () => undefined,
  surveyOf: () => 0,
};

let filled: Opened;

beforeAll(async () => {
  filled = await opened(() => 0);
  await fill(filled);
}, 60_000);

test('an index that fetches row by row loses to a scan of large parts, from the first program on', async () => {
  const slow = await opened(() => 30);
  const text = await planIn(slow.engine);
  expect(text).toContain('access whole table');
  expect(text).toMatch(
    /why table of .* with 1\d remote reads, index by_k .* with 6\d\d remote reads/,
  );
  const before = partsRead(slow);
  await execute(slow.engine, byValue);
  const scanned = partsRead(slow) - before;
  // Forty parts of blocks, and as many of the table's index.
  expect(scanned).toBeGreaterThan(40);
  expect(scanned).toBeLessThan(100);

  const unaware = await opened(() => 30, blind);
  expect(await planIn(unaware.engine)).toContain('access index by_k');
  await execute(unaware.engine, byValue);
  expect(partsRead(unaware)).toBeGreaterThan(500);
});

test('the same index wins once all that it reads is in memory', async () => {
  let ms = 0;
  const warmed = await opened(() => ms);
  const everything = ordered({ n: scan }, 'id');
  await execute(warmed.engine, everything);
  await execute(warmed.engine, byValue);
  const keys = ['k', 'id'].map((as) => ({ as, expr: { kind: 'col', scope: 't', column: as } }));
  const entries = { t: scan, n: { kind: 'project', input: 't', fields: keys, scope: 'x' } };
  // Out of the index alone, all in order.
  await execute(warmed.engine, ordered(entries, 'k', 'x'));
  // From now on the place is slow, and nobody asks it.
  ms = 30;
  const before = partsRead(warmed);
  const text = await planIn(warmed.engine);
  expect(text).toContain('access index by_k');
  expect(text).not.toContain('remote reads');
  await execute(warmed.engine, byValue);
  expect(partsRead(warmed)).toBe(before);
});

test('a reader of the bucket knows what it would fetch', async () => {
  const { store, readMicros } = countedStore(
    remoteStore(objects, world, () => 30),
    world.clock,
  );
  const place = { name: 'bucket', objects: store, manifests: bucketFeed(store), readMicros };
  const reader = await until(openReaderIn(place, { ...tuning, world }), world);
  const all = { from: new Uint8Array(), to: undefined };
  const remote = reader.remoteReads(all);
  expect(remote).toMatchObject({ micros: 32_768, cold: remote?.pieces as number });
  await until(reader.close(), world);
});
