/** Metrics of a store in a bucket: requests of the main store and the log, of writer, reader and compactor are told apart. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { systemWorld } from '#base';
import { openReader, openStore, type StoreStatistics } from '#storage';
import { prometheusText } from '#telemetry';
import { storageInstruments } from '../../../src/server/metrics/storage-instruments.ts';
import { type FakeServer, startFakeServer } from '../../s3/fake-server.ts';
import { write } from '../../storage/transaction/support.ts';
import { allowed } from './allowed-attributes.ts';
import { promtoolCheck } from './promtool.ts';

const world = systemWorld();
const small = { memtableBytes: 4000, tableBytes: 20_000, blockBytes: 1024, flushIntervalMs: 1 };
let server: FakeServer;
let written: StoreStatistics;
let readOnly: StoreStatistics;

beforeAll(async () => {
  server = await startFakeServer();
  const s3 = {
    bucket: 'bucket',
    prefix: '',
    region: 'nowhere-1',
    endpoint: server.endpoint,
    credentials: { accessKeyId: 'key', secretAccessKey: 'secret' },
  };
  const store = await openStore({ storage: 's3', s3, world, ...small });
  for (let i = 0; i < 12; i++) {
    const rows = Array.from({ length: 40 }, (_, k) => [
      `key ${(k + 7 * i) % 100}`,
      `${i} `.repeat(20),
    ]);
    await write(store, Object.fromEntries(rows));
  }
  await store.tidy();
  const reader = await openReader({ storage: 's3', s3, world });
  const view = reader.snapshot();
  const key = new TextEncoder().encode('key 7');
  let found = view.get(key);
  for (; found instanceof Promise; found = view.get(key)) await found;
  expect(found).toBeDefined();
  view.release();
  written = store.statistics();
  readOnly = reader.statistics();
  await reader.close();
  await store.close();
});
afterAll(() => server.stop());

const textOf = (statistics: StoreStatistics) =>
  prometheusText(storageInstruments(() => statistics));

interface Sample {
  readonly attributes: Readonly<Record<string, string>>;
  readonly value: number;
}

function samplesOf(text: string, name: string): readonly Sample[] {
  return [...text.matchAll(new RegExp(`^${name}(?:\\{(.*)\\})? (\\S+)$`, 'gm'))].map(
    ([, attributes = '', value]) => ({
      attributes: Object.fromEntries(
        [...attributes.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, one]) => [key, one]),
      ),
      value: Number(value),
    }),
  );
}

/** Sum of a metric by component and part of the store, where it is above 0. */
function byComponent(statistics: StoreStatistics, name: string, operation?: string) {
  const sums: Record<string, number> = {};
  for (const { attributes, value } of samplesOf(textOf(statistics), name)) {
    if (value === 0 || (operation !== undefined && attributes['operation'] !== operation)) continue;
    const key = `${attributes['component']} ${attributes['store']}`;
    sums[key] = (sums[key] ?? 0) + value;
  }
  return sums;
}

const requests = 'svc_storage_object_requests_total';
const bytes = 'svc_storage_object_bytes_total';

test('a writer tells its database and its compactor apart, and the log from the main store', () => {
  const { log, flush, compaction } = written;
  const bytesWritten = byComponent(written, bytes, 'write');
  expect(bytesWritten['compactor main']).toBe(compaction.outputBytes);
  // Tables that were flushed, manifests, and the marks of the opening.
  expect(bytesWritten['db main']).toBeGreaterThan(flush.flushedBytes);
  // Groups of the log, and the fence of the opening.
  expect(bytesWritten['db log']).toBe(log.writtenBytes + 56);
  expect(byComponent(written, requests, 'write')['db log']).toBe(log.groups + 1);
  expect(byComponent(written, bytes, 'range_read')['compactor main']).toBeGreaterThan(0);
  expect(Object.keys(byComponent(written, requests))).not.toContain('reader main');
});

test('a reader is a component of its own, which never reads the log', () => {
  const all = byComponent(readOnly, requests);
  expect(Object.keys(all)).toEqual(['reader main']);
  // Its pin is all that it writes; it has read blocks.
  expect(byComponent(readOnly, requests, 'write')).toEqual({ 'reader main': 1 });
  expect(byComponent(readOnly, bytes, 'range_read')['reader main']).toBeGreaterThan(0);
});

test('the collector lists and deletes, and nobody else deletes but the probe of the opening', () => {
  const { parts } = written.garbage ?? { parts: undefined };
  const deletions = byComponent(written, requests, 'delete');
  expect(Object.keys(deletions).sort()).toEqual(['db main', 'gc log', 'gc main']);
  expect(deletions['db main']).toBe(1);
  expect(parts?.main.deleted).toBeGreaterThanOrEqual(deletions['gc main'] as number);
  expect(parts?.log.deleted).toBeGreaterThanOrEqual(deletions['gc log'] as number);
  // It reads and writes nothing.
  expect(byComponent(written, bytes)['gc main']).toBeUndefined();
  expect(byComponent(written, requests, 'list')['gc main']).toBeGreaterThan(0);
});

test('each component works in the foreground or in the background', () => {
  const activities = new Set(
    [written, readOnly].flatMap((statistics) =>
      samplesOf(textOf(statistics), requests).map(
        ({ attributes }) => `${attributes['component']} ${attributes['svc_storage_activity']}`,
      ),
    ),
  );
  expect([...activities].sort()).toEqual([
    'compactor background',
    'db foreground',
    'gc background',
    'reader foreground',
  ]);
});

test('attributes have no values but the known ones', () => {
  const wrong = [written, readOnly]
    .flatMap((statistics) => [...textOf(statistics).matchAll(/([a-z_]+)="([^"]*)"/g)])
    .filter(([, key, value]) => allowed[key as string]?.test(value as string) !== true)
    .map(([text]) => text);
  expect(wrong).toEqual([]);
});

promtoolCheck(
  'promtool has nothing to say to the metrics of a bucket',
  async () => textOf(written),
  'svc_storage_object_requests',
);
