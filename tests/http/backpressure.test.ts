/** What clients see when tables cannot be written: delay, then refusals that say when to come back, and memory that stays bounded. */

import { expect, test } from 'bun:test';
import type { EngineOptions } from '#engine';
import { openDatabaseIn } from '../../src/engine/open.ts';
import { engineOver } from '../../src/engine/open-engine.ts';
import { openStoreIn } from '../../src/storage/assembly/open.ts';
import { failingPlace, hastyWorld } from '../storage/assembly/place.ts';
import { databaseOver } from '../support/database.ts';

const table = {
  name: 't',
  columns: [
    { name: 'id', type: 'int64' },
    { name: 'text', type: 'text' },
  ],
  primary_key: ['id'],
};

function create(id: number): unknown {
  const rows = [[`${id}`, 'x'.repeat(2000)]];
  const node = { kind: 'rows', scope: 'r', columns: table.columns, rows };
  const relation = { nodes: { r: node }, root: { node: 'r', cardinality: 'many' } };
  return { statements: [{ kind: 'create', name: 'c', table: 't', relation }] };
}

/** Copies the table into itself under other ids. */
function copyFrom(offset: number): unknown {
  const id = { kind: 'col', scope: 's', column: 'id' };
  const moved = {
    kind: 'binary',
    op: 'add',
    left: id,
    right: { kind: 'lit', value: { type: 'int64', value: `${offset}` } },
  };
  const nodes = {
    s: { kind: 'scan', table: 't', scope: 's' },
    p: {
      kind: 'project',
      input: 's',
      fields: [
        { as: 'id', expr: moved },
        { as: 'text', expr: { kind: 'col', scope: 's', column: 'text' } },
      ],
    },
  };
  const relation = { nodes, root: { node: 'p', cardinality: 'many' } };
  return { statements: [{ kind: 'create', name: 'c', table: 't', relation }] };
}

const scan = {
  statements: [
    {
      kind: 'query',
      name: 'q',
      relation: {
        nodes: {
          s: { kind: 'scan', table: 't', scope: 's' },
          o: {
            kind: 'order',
            input: 's',
            terms: [{ expr: { kind: 'col', scope: 's', column: 'id' } }],
          },
        },
        root: { node: 'o', cardinality: 'many' },
      },
    },
  ],
};

const unflushedBytesMax = 1 << 20;

/** A database whose storage takes nothing once `place` has trouble; four programs run at once. */
async function openPressed() {
  const place = failingPlace();
  const hasty = hastyWorld();
  /** Timers that are kept from firing; undefined: none are. */
  const stopped: { timers: (() => void)[] | undefined } = { timers: undefined };
  const after = (delayMs: number, task: () => void) => {
    if (stopped.timers === undefined) return hasty.scheduler.after(delayMs, task);
    stopped.timers.push(task);
    return { cancel: () => {} };
  };
  const world = { ...hasty, scheduler: { ...hasty.scheduler, after } };
  const options = { memtableBytes: 20_000, blockBytes: 1024, unflushedBytesMax };
  const store = await openStoreIn(place, { storage: 'memory', world, ...options });
  const settings: EngineOptions = {
    storage: 'memory',
    path: '',
    mode: 'direct',
    tuning: {},
    world,
    programMemoryBytes: 64 << 20,
    statementTimeoutMs: 0,
    concurrency: 4,
    queueMax: 1024,
    holderAddress: 'test',
  };
  const engine = engineOver(await openDatabaseIn(store, settings), settings);
  return { place, store, engine, stopped };
}

test('writes are delayed, then refused with 503 and Retry-After; memory is bounded; it passes', async () => {
  const { place, store, engine } = await openPressed();
  await using database = databaseOver(engine);
  expect((await database.send('POST', '/tables', table)).status).toBe(200);
  place.trouble = 'full';
  let written = 0;
  const refusals: Awaited<ReturnType<typeof database.send>>[] = [];
  const client = async (first: number) => {
    for (let id = first; refusals.length < 20; id += 8) {
      const reply = await database.send('POST', '/execute', create(id));
      if (reply.status === 200) written++;
      else refusals.push(reply);
    }
  };
  await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(client));
  for (const { status, headers, json } of refusals) {
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toBe('1');
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(json).toMatchObject({ status: 503, code: 'internal', reason: 'overloaded' });
    expect((json as { detail: string }).detail).toContain('the storage is full');
  }
  const { pressure, memtables } = store.statistics();
  expect(pressure.delayed).toBeGreaterThan(0);
  expect(pressure.refused).toBe(refusals.length);
  // What was admitted before the limit was reached may exceed it, and memory grows in steps.
  expect(memtables.bytes).toBeLessThan(1.25 * unflushedBytesMax);
  const scanned = await database.send('POST', '/execute', scan);
  expect(scanned.status).toBe(200);
  const rows = scanned.json as { result: unknown[] };
  expect(rows.result.length).toBe(written);
  place.trouble = undefined;
  let reply = await database.send('POST', '/execute', create(1_000_000));
  for (let tries = 0; reply.status !== 200; tries++) {
    expect(tries).toBeLessThan(100);
    reply = await database.send('POST', '/execute', create(1_000_000));
  }
  await store.idle();
  expect(store.pressure).toBe('none');
});

test('reads go on while more writers wait than programs may run', async () => {
  const { place, store, engine, stopped } = await openPressed();
  await using database = databaseOver(engine);
  await database.send('POST', '/tables', table);
  place.trouble = 'full';
  let id = 0;
  while (store.pressure !== 'stop') await database.send('POST', '/execute', create(id++));
  // No writer is refused before the read is answered.
  const timers: (() => void)[] = [];
  stopped.timers = timers;
  const answered: number[] = [];
  const writers = Array.from({ length: 8 }, async (_, i) => {
    // A scan, so that the writer is no point: it would need a slot.
    const { status } = await database.send('POST', '/execute', copyFrom(1_000_000 * (i + 1)));
    answered.push(status);
  });
  while (engine.admissionStatistics().pressed < 8) await Bun.sleep(0);
  const { status } = await database.send('POST', '/execute', scan);
  expect(status).toBe(200);
  // All of them were still waiting when the answer came.
  expect(answered).toEqual([]);
  expect(engine.admissionStatistics().pressed).toBe(8);
  stopped.timers = undefined;
  for (const fire of timers) fire();
  await Promise.all(writers);
  expect(answered).toEqual(Array(8).fill(503));
});
