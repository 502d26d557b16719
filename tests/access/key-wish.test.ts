/** A request for a key: which rights its words give, and what each wrong word gets. */

import { describe, expect, test } from 'bun:test';
import { grantTexts, type KeyWish, limitWishes, parseDuration, readKeyWish } from '#access';
import { after } from '../catalog/support.ts';
import { catalog, failureOf, keyOf } from './support.ts';

const day = 86_400_000;
const wish: KeyWish = { name: 'app', scopes: ['read'] };
const read = (more: Partial<KeyWish>) => readKeyWish({ ...wish, ...more }, catalog);

/** The findings of a refused request: pointers and details. */
function findingsOf(more: Partial<KeyWish>): string[] {
  const { reason, detail, location, errors } = failureOf(() => read(more));
  const first = { reason, detail, location };
  expect(errors?.[0] ?? first).toEqual(first as never);
  return (errors ?? [first]).map((it) => `${it.location?.pointer} ${it.detail}`);
}

describe('the rights of a key', () => {
  test('without anything else: no grants, enforced policies, 90 days', () => {
    expect(read({})).toEqual({
      name: 'app',
      scopes: new Set(['read']),
      grants: undefined,
      policies: 'enforce',
      claims: {},
      limits: {},
      lifeMs: 90 * day,
    } as never);
  });

  test('with everything', () => {
    const rights = read({
      scopes: ['read', 'write'],
      grants: ['users:read,update', '*:create'],
      claims: { org: 7, who: 'ä', is: true },
      policies: 'bypass',
      expires_in: 'never',
      limits: { rate: 5, concurrency: 2, deadline_ms: 100, memory_mib: 16 },
    });
    expect(rights).not.toHaveProperty('lifeMs');
    expect(rights.grants).toEqual([
      { table: 1, actions: new Set(['read', 'update']) },
      { table: '*', actions: new Set(['create']) },
    ] as never);
    expect(rights).toMatchObject({ policies: 'bypass', claims: { org: 7, who: 'ä', is: true } });
    expect(rights.limits).toEqual({ rate: 5, concurrency: 2, deadlineMs: 100, memoryMib: 16 });
    expect(limitWishes(rights.limits)).toEqual({
      ...{ rate: 5, concurrency: 2, deadline_ms: 100, memory_mib: 16 },
    });
  });

  test('an empty list of grants is not the same as none', () => {
    expect(read({ grants: [] }).grants).toEqual([]);
  });

  test('each wrong word has its own finding, and its pointer', () => {
    expect(
      findingsOf({
        name: '',
        scopes: ['reed'],
        grants: ['users', 'usrs:read', 'users:raed', 'users:'],
        claims: { 'a/b': 2 ** 53, c: 'x'.repeat(2000) },
        policies: 'none',
        expires_in: '90',
        limits: { rate: 0, memory_mib: 1.5 },
      }),
    ).toEqual([
      '/name invalid name of a key: it is empty',
      '/scopes/0 unknown scope "reed": expected read, write, schema, metrics, admin; did you mean "read"?',
      '/grants/0 invalid grant: expected TABLE:ACTIONS, such as orders:read,create',
      '/grants/1 unknown table "usrs"; did you mean "users"?',
      '/grants/2 unknown action "raed": expected read, create, update, delete; did you mean "read"?',
      '/grants/3 unknown action "": expected read, create, update, delete',
      '/claims/a~1b invalid claim: its number is not exact; write it as text',
      '/claims/c invalid claim: it has 2000 bytes, at most 1024 are allowed',
      '/policies expected enforce or bypass, got "none"',
      '/expires_in invalid length of life: expected a duration such as 90s, 15m, 24h or 30d, or never',
      '/limits/rate expected an integer from 1 to 2147483647',
      '/limits/memory_mib expected an integer from 1 to 2147483647',
    ]);
    expect(failureOf(() => read({ grants: ['usrs:read'] })).reason).toBe('unknown_table');
    expect(failureOf(() => read({ scopes: [] })).reason).toBe('invalid');
    expect(findingsOf({ scopes: [] })).toEqual([
      '/scopes a key needs at least one scope: read, write, schema, metrics, admin',
    ]);
  });

  test('update and delete need read on the same table, from any grant', () => {
    const blind = (...grants: string[]) => findingsOf({ grants }).map((it) => it.slice(0, 30));
    expect(blind('users:update')).toEqual(['/grants/0 a grant of update ne']);
    expect(blind('users:create,delete', 'posts:read')).toEqual(['/grants/0 a grant of delete ne']);
    expect(blind('*:update', 'users:read')).toEqual(['/grants/0 a grant of update ne']);
    for (const grants of [
      ['*:read', 'users:update'],
      ['users:delete', 'users:read'],
      ['*:read,delete'],
    ]) {
      expect(read({ grants }).grants).toHaveLength(grants.length);
    }
  });

  test.each(['schema', 'admin'])('grants cannot narrow the scope %s', (scope) => {
    expect(findingsOf({ scopes: ['read', scope], grants: [] })).toEqual([
      `/grants grants cannot be combined with the scope ${scope}, which applies to all tables`,
    ]);
  });

  test('no message repeats a key', () => {
    const key = `svck_${'A'.repeat(12)}_${'B'.repeat(49)}`;
    const found = findingsOf({ name: key, scopes: [key], policies: key, expires_in: key });
    expect(found.length).toBe(4);
    expect(found.join()).not.toContain('AAAA');
  });

  test('claims contain no key', () => {
    const key = `svck_${'A'.repeat(12)}_${'B'.repeat(49)}`;
    const trouble = 'invalid claim: it must not contain a key';
    expect(findingsOf({ claims: { own: key } })).toEqual([`/claims/own ${trouble}`]);
    expect(findingsOf({ claims: { [key]: true } })).toEqual([`/claims/${key} ${trouble}`]);
  });
});

test('a grant is split at the last colon, and shown with the present name', () => {
  const renamed = after(catalog, { kind: 'rename_table', table_id: 1, to: 'a:b' });
  const { grants = [] } = readKeyWish({ ...wish, grants: ['a:b:read', '*:read,create'] }, renamed);
  expect(grants[0]?.table).toBe(1);
  expect(grantTexts(grants, renamed)).toEqual(['a:b:read', '*:read,create']);
  expect(grantTexts(grants, catalog)).toEqual(['users:read', '*:read,create']);
  const gone = after(catalog, { kind: 'delete_table', table_id: 2 });
  const both = readKeyWish({ ...wish, grants: ['posts:read', 'users:read'] }, catalog).grants ?? [];
  expect(grantTexts(both, gone)).toEqual(['users:read']);
});

test('durations', () => {
  const known = {
    '90s': 90_000,
    '15m': 900_000,
    '24h': day,
    '30d': 30 * day,
    '36500d': 36_500 * day,
  };
  for (const [text, ms] of Object.entries(known)) expect(parseDuration(text)).toBe(ms);
  for (const text of ['', '0s', '5', 's', '1w', '1.5h', '-1s', ' 1s', '1s ', '36501d', '1S']) {
    expect(parseDuration(text)).toBeUndefined();
  }
});

test('support: keys differ by their seed', () => {
  expect(keyOf(1).id).not.toBe(keyOf(2).id);
});
