/** The smaller records beside the catalog, and catalogs that are rendered ahead of their commit. */

import { describe, expect, test } from 'bun:test';
import { ByteWriter } from '#base';
import {
  decodeReclamation,
  decodeTransition,
  encodeReclamation,
  encodeTransition,
  keySpaces,
  type TransitionRecord,
} from '#catalog';
import { encodeFrame } from '../../../src/catalog/stored/frame.ts';
import { appendPrefix, keyPrefix, startKey } from '../../../src/catalog/stored/key-space.ts';
import { renderAheadSteps } from '../../../src/catalog/stored/render-ahead.ts';
import { catalogOf, failureOf, posts, users } from '../support.ts';

const record: TransitionRecord = {
  id: 7,
  kind: 'index_build',
  object: 'ix9',
  state: 'building',
  generation: 3,
  epoch: 2,
  prerequisites: [5],
  rowsScanned: 11,
  cursor: '0a',
  names: { table: 't', object: 'i' },
  lastError: 'none',
};

describe('a record', () => {
  test('is read as it was written', () => {
    expect(decodeTransition(encodeTransition(record))).toEqual(record);
    const reclamation = { physicalId: 4, table: 2, cursor: 'ff' };
    expect(decodeReclamation(encodeReclamation(reclamation))).toEqual(reclamation);
  });

  test.each([
    [
      'a transition of an unknown kind',
      () => decodeTransition(encodeFrame({ ...record, kind: 'x' })),
      'a transition record',
    ],
    [
      'a transition without a generation',
      () => decodeTransition(encodeFrame({ ...record, generation: undefined })),
      'a transition record',
    ],
    [
      'a reclamation of no table',
      () => decodeReclamation(encodeFrame({ physicalId: 4 })),
      'a reclamation record',
    ],
    ['an empty record', () => decodeReclamation(new Uint8Array(0)), 'a reclamation record'],
  ])('of %s is corrupt', (_, read, what) => {
    const { reason, detail } = failureOf(read);
    expect(reason).toBe('catalog_corrupt');
    expect(detail).toContain(`${what} cannot be read`);
  });
});

describe('the prefix of a key', () => {
  const prefix = keyPrefix(keySpaces.index, 0x0102_0304);

  test('starts a key anew, or goes on with one', () => {
    const writer = new ByteWriter(4);
    writer.u8(99);
    startKey(writer, prefix);
    expect([...writer.take()]).toEqual([keySpaces.index, 1, 2, 3, 4]);
    const other = new ByteWriter(1);
    other.u8(99);
    appendPrefix(other, prefix);
    other.u8(100);
    expect([...other.take()]).toEqual([99, keySpaces.index, 1, 2, 3, 4, 100]);
  });
});

test('catalogs are rendered ahead table by table, and each is a place to rest', () => {
  const catalogs = [catalogOf(users, posts), catalogOf(users)];
  const works: number[] = [];
  const waits = [undefined, Promise.resolve()];
  const pace = {
    pause: (work?: number) => {
      works.push(work ?? 0);
      return waits[works.length % 2];
    },
  };
  const steps = renderAheadSteps(catalogs, pace as Parameters<typeof renderAheadSteps>[1]);
  const yielded = [...steps];
  const columns = (of: typeof users) => 32 + 4 * of.columns.length;
  const rest = Number.POSITIVE_INFINITY;
  expect(works).toEqual([columns(users), columns(posts), rest, columns(users), rest]);
  expect(yielded).toHaveLength(3);
});
