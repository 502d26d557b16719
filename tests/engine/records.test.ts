/** The records that make a store a database. */

import { expect, test } from 'bun:test';
import {
  applyChange,
  type Catalog,
  catalogCommitWrites,
  catalogKey,
  emptyCatalog,
  encodeCatalog,
  encodeIdentity,
  identityKey,
  revisionKey,
} from '#catalog';
import type { ReadView } from '#storage';
import { readRecords } from '../../src/engine/records.ts';
import { outcomeOf } from '../support/outcome.ts';

const stored = { mode: 'direct', identity: '00000000-0000-4000-8000-000000000001' } as const;

/** The records as a commit leaves them; `change` damages them. */
function recordsOf(
  catalog: Catalog | undefined,
  change: (records: Map<string, Uint8Array | undefined>) => void = () => {},
): Map<string, Uint8Array | undefined> {
  const records = new Map<string, Uint8Array | undefined>([
    [`${identityKey}`, encodeIdentity(stored)],
  ]);
  const writes = catalog === undefined ? [] : catalogCommitWrites(emptyCatalog, catalog);
  for (const { key, value } of writes) records.set(`${key}`, value);
  change(records);
  return records;
}

function viewOf(records: Map<string, Uint8Array | undefined>, isLate = false): ReadView {
  let isThere = !isLate;
  const get = (key: Uint8Array) => {
    if (isThere) return records.get(`${key}`);
    isThere = true;
    return Promise.resolve();
  };
  return { get } as unknown as ReadView;
}

const { catalog: applied } = applyChange(emptyCatalog, {
  kind: 'create_table',
  table: { name: 't', columns: [{ name: 'id', type: 'int64' }], primary_key: ['id'] },
});
const catalog = { ...applied, versionAtMs: 1 };
const { catalog: later } = applyChange(catalog, { kind: 'rename_table', table_id: 1, to: 'u' });
const renamed = { ...later, versionAtMs: 2 };

test('a store without them is no database', async () => {
  expect(await readRecords({ get: () => undefined } as unknown as ReadView)).toBeUndefined();
});

test('they are waited for', async () => {
  const records = await readRecords(viewOf(recordsOf(catalog), true));
  expect(records?.catalog).toEqual(catalog);
});

test('a catalog with the bytes of a known one is that catalog, any other is read', async () => {
  const first = await readRecords(viewOf(recordsOf(catalog)));
  expect(first).toMatchObject({ identity: stored, catalog });
  const again = await readRecords(viewOf(recordsOf(catalog)), first);
  expect(again?.catalog).toBe(first?.catalog as typeof catalog);
  const moved = await readRecords(viewOf(recordsOf(renamed)), first);
  expect(moved?.catalog).toEqual(renamed);
  const none = await readRecords(viewOf(recordsOf(undefined)), first);
  expect(none?.catalog).toBe(emptyCatalog);
  expect((await readRecords(viewOf(recordsOf(undefined)), none))?.catalog).toBe(emptyCatalog);
});

test.each([
  ['is missing', (records: Map<string, unknown>) => records.delete(`${revisionKey(1)}`)],
  [
    'describes a different schema than the stored catalog',
    (records: Map<string, unknown>) =>
      records.set(`${catalogKey}`, encodeCatalog({ ...renamed, version: 1 })),
  ],
])('a catalog whose revision record %s is not taken', async (what, change) => {
  const read = outcomeOf(readRecords(viewOf(recordsOf(catalog, change))));
  expect(await read).toThrow(`the revision record of schema version 1 ${what}`);
});
