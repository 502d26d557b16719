/** Keys as records: stored and read again, and the set that notices each missing or damaged one. */

import { describe, expect, test } from 'bun:test';
import {
  type ApiKey,
  endOf,
  type KeyChange,
  type KeySet,
  KeySetReader,
  noKeys,
  principalOfKey,
  readKeyWish,
} from '#access';
import { decodeKey, encodeKey } from '../../src/access/stored-key.ts';
import { encodeFrame } from '../../src/catalog/stored/frame.ts';
import { catalog, failureOf, keyOf } from './support.ts';

const full: ApiKey = {
  ...keyOf(1),
  ...readKeyWish(
    {
      ...{ name: 'ä', scopes: ['read', 'write'], grants: ['users:read', '*:create'] },
      ...{ claims: { org: 7, ok: true, who: 'x' }, policies: 'bypass', limits: { rate: 3 } },
    },
    catalog,
  ),
  ...{ expiresAtMs: 5000, revokedAtMs: 4000, replaces: keyOf(2).id },
};

describe('the record of a key', () => {
  test('is read as it was written', () => {
    for (const key of [full, keyOf(3), keyOf(4, { grants: [] })]) {
      expect(decodeKey(encodeKey(key))).toEqual(key);
    }
  });

  test('of a newer version is refused, and so is each wrong member', () => {
    const record = encodeKey(full);
    expect(failureOf(() => decodeKey(record.with(0, 2))).detail).toBe(
      'the record of an API key cannot be read: its format is 2, this version supports format 1',
    );
    const stored = JSON.parse(Buffer.from(record.subarray(5)).toString());
    const wrong: Record<string, unknown[]> = {
      id: ['', 'a'.repeat(13), 7, undefined],
      name: [7, undefined],
      hash: ['', 'g'.repeat(64), undefined],
      scopes: [[], ['reed'], undefined, 'read'],
      grants: [[[1.5, ['read']]], [['users', ['read']]], [[1, ['x']]], 'none', null],
      policies: ['none', undefined],
      claims: [undefined, [], null],
      limits: [undefined],
      created_at: [undefined, 'x'],
      by: [undefined, 7],
      expires_at: ['x', null],
      revoked_at: [1.5, false],
    };
    for (const [name, values] of Object.entries(wrong)) {
      for (const value of values) {
        const bytes = encodeFrame({ ...stored, [name]: value });
        expect([name, value, failureOf(() => decodeKey(bytes)).reason]).toEqual([
          ...[name, value],
          'catalog_corrupt',
        ]);
      }
    }
  });
});

/** The set as another process finds it. */
function reread(keys: KeySet, records: Iterable<readonly [string, Uint8Array]>, before = noKeys) {
  const reader = new KeySetReader(keys.encodeHead(), before);
  for (const [id, record] of records) reader.add(id, record);
  return reader.end();
}

/** Applies changes to stored records. */
function store(records: Map<string, Uint8Array>, change: KeyChange): KeySet {
  for (const { id, record } of change.records) {
    if (record === undefined) records.delete(id);
    else records.set(id, record);
  }
  return change.keys;
}

describe('a set of keys', () => {
  test('grows by a version with each change, and is found again after each', () => {
    const records = new Map<string, Uint8Array>();
    let keys = store(records, noKeys.next([keyOf(1)]));
    keys = store(records, keys.next([keyOf(2), keyOf(3)]));
    keys = store(records, keys.next([keyOf(1, { revokedAtMs: 9 })], [keyOf(2).id]));
    expect([keys.version, keys.size]).toEqual([3, 2]);
    const found = reread(keys, records);
    expect([...found.keys()]).toEqual([...keys.keys()]);
    expect([found.version, found.encodeHead()]).toEqual([3, keys.encodeHead()]);
    expect(found.find(keyOf(1).id)?.revokedAtMs).toBe(9);
    expect(found.find(keyOf(2).id)).toBeUndefined();
    // Unchanged keys stay the same objects.
    const again = reread(keys, records, found);
    expect(again.find(keyOf(3).id)).toBe(found.find(keyOf(3).id) as ApiKey);
    expect(noKeys.size).toBe(0);
  });

  test('that misses a record, has one too many or another one is refused', () => {
    const records = new Map<string, Uint8Array>();
    const keys = store(records, noKeys.next([1, 2, 3].map((seed) => keyOf(seed))));
    const [first, ...rest] = [...records] as [[string, Uint8Array], ...[string, Uint8Array][]];
    const trouble = (all: readonly (readonly [string, Uint8Array])[]) =>
      failureOf(() => reread(keys, all)).detail;
    expect(trouble(rest)).toContain('3 records were written, 2 were found');
    expect(trouble([])).toContain('3 records were written, 0 were found');
    const other = keyOf(4);
    expect(trouble([first, ...rest, [other.id, encodeKey(other)]])).toContain('4 were found');
    expect(trouble([[other.id, encodeKey(other)], ...rest])).toContain('do not match their digest');
    const live = encodeKey(keyOf(1, { name: 'x' }));
    expect(trouble([[first[0], live], ...rest])).toContain('do not match their digest');
    expect(trouble([[other.id, first[1]], ...rest])).toContain('it is that of another key');
  });

  test('whose head is damaged or newer is refused', () => {
    const head = noKeys.next([keyOf(1)]).keys.encodeHead();
    const trouble = (bytes: Uint8Array) => failureOf(() => new KeySetReader(bytes, noKeys)).detail;
    expect(trouble(head.with(0, 2))).toContain('its format is 2');
    expect(trouble(head.with(9, 0))).toContain('its checksum is wrong');
    expect(trouble(encodeFrame({ version: 1, count: 1 }))).toContain('does not match its format');
  });

  test('knows live keys and live admins at a time', () => {
    const admin = { scopes: new Set(['admin'] as const) };
    const [a, b, c] = [keyOf(1, { ...admin, expiresAtMs: 10 }), keyOf(2, admin), keyOf(3)];
    const { keys } = noKeys.next([a, { ...b, revokedAtMs: 5 }, c]);
    expect([keys.isLive(a.id, 9), keys.isLive(a.id, 10)]).toEqual([true, false]);
    expect([keys.isLive(b.id, 1), keys.isLive(c.id, 1), keys.isLive('x', 1)]).toEqual([
      ...[false, true],
      false,
    ]);
    expect([endOf(a, 10), endOf({ ...a, revokedAtMs: 1 }, 10)]).toEqual(['expired', 'revoked']);
    expect([keys.hasLiveAdmin(9), keys.hasLiveAdmin(10), keys.hasLiveAdmin(9, a.id)]).toEqual([
      ...[true, false],
      false,
    ]);
  });
});

test('the principal of a key has its rights, and an admin bypasses policies', () => {
  const { visibility, ...rest } = principalOfKey(full);
  expect(rest).toEqual({
    ...{ kind: 'key', id: full.id, scopes: full.scopes },
    ...{ claims: full.claims, limits: full.limits },
  });
  expect(visibility.grants).toHaveLength(2);
  expect(visibility.policies).toBe('bypass');
  expect(principalOfKey(keyOf(2))).toMatchObject({
    visibility: { key: 'enforce', policies: 'enforce' },
  });
  const admin = keyOf(3, { scopes: new Set(['admin'] as const) });
  expect(principalOfKey(admin).visibility.policies).toBe('bypass');
});
