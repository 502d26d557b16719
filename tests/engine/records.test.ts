/** The records that make a store a database. */

import { expect, test } from 'bun:test';
import {
  applyChange,
  catalogKey,
  emptyCatalog,
  encodeCatalog,
  encodeIdentity,
  identityKey,
} from '#catalog';
import type { ReadView } from '#storage';
import { readRecords } from '../../src/engine/records.ts';

const stored = { mode: 'direct', identity: '00000000-0000-4000-8000-000000000001' } as const;

function viewOf(catalog: Uint8Array | undefined, isLate = false): ReadView {
  const records = new Map([[`${identityKey}`, encodeIdentity(stored)]]);
  if (catalog !== undefined) records.set(`${catalogKey}`, catalog);
  let isThere = !isLate;
  const get = (key: Uint8Array) => {
    if (isThere) return records.get(`${key}`);
    isThere = true;
    return Promise.resolve();
  };
  return { get } as unknown as ReadView;
}

const { catalog } = applyChange(emptyCatalog, {
  kind: 'create_table',
  table: { name: 't', columns: [{ name: 'id', type: 'int64' }], primary_key: ['id'] },
});

test('a store without them is no database', async () => {
  expect(await readRecords({ get: () => undefined } as unknown as ReadView)).toBeUndefined();
});

test('they are waited for', async () => {
  const records = await readRecords(viewOf(encodeCatalog(catalog), true));
  expect(records?.catalog).toEqual(catalog);
});

test('a catalog with the bytes of a known one is that catalog, any other is read', async () => {
  const first = await readRecords(viewOf(encodeCatalog(catalog)));
  expect(first).toMatchObject({ identity: stored, catalog });
  const again = await readRecords(viewOf(encodeCatalog(catalog)), first);
  expect(again?.catalog).toBe(first?.catalog as typeof catalog);
  const { catalog: renamed } = applyChange(catalog, {
    kind: 'rename_table',
    table_id: 1,
    to: 'u',
  });
  const moved = await readRecords(viewOf(encodeCatalog(renamed)), first);
  expect(moved?.catalog).toEqual(renamed);
  const none = await readRecords(viewOf(undefined), first);
  expect(none?.catalog).toBe(emptyCatalog);
  expect((await readRecords(viewOf(undefined), none))?.catalog).toBe(emptyCatalog);
});
