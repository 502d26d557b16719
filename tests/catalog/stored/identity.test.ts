/** The identity record: a database with API keys is refused by programs that do not know them. */

import { expect, test } from 'bun:test';
import { type DatabaseIdentity, decodeIdentity, encodeIdentity } from '#catalog';
import { decodeFrame, encodeFrame } from '../../../src/catalog/stored/frame.ts';
import { failureOf } from '../support.ts';

const plain: DatabaseIdentity = { mode: 'direct', identity: 'ab' };

test('is as before without needs, and of another format with them', () => {
  const before = encodeFrame({ mode: 'direct', identity: 'ab' });
  expect(encodeIdentity(plain)).toEqual(before);
  expect(encodeIdentity({ ...plain, needs: [] })).toEqual(before);
  const needy = { ...plain, needs: ['keys'] } as const;
  expect(decodeIdentity(encodeIdentity(needy))).toEqual(needy);
  // What an older program does with it.
  expect(() => decodeFrame(encodeIdentity(needy), 'the identity record', () => 0)).toThrow(
    'its format is 2, this version supports format 1',
  );
});

test('that needs something unknown is refused by name, and a wrong one is corrupt', () => {
  const newer = encodeFrame({ ...plain, needs: ['keys', 'mirrors'] }, 2);
  const { reason, detail } = failureOf(() => decodeIdentity(newer));
  expect(reason).toBe('invalid');
  expect(detail).toContain('uses "mirrors", which this version of svc does not support');
  for (const bytes of [encodeFrame(plain, 2), encodeFrame({ ...plain, needs: ['keys'] })]) {
    expect(failureOf(() => decodeIdentity(bytes)).reason).toBe('catalog_corrupt');
  }
});
