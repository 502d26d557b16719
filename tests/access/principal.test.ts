/** Principals, scopes and grants. */

import { describe, expect, test } from 'bun:test';
import { OpenPrincipal } from '#access';
import {
  type Action,
  type Grant,
  grantsAction,
  grantsSight,
  mergeGrants,
} from '../../src/access/grant.ts';
import { permits, scopes } from '../../src/access/scope.ts';
import { unrestricted, visibilityOf } from '../../src/access/visibility.ts';

const grant = (table: Grant['table'], ...actions: Action[]): Grant => {
  return { table, actions: new Set(actions) };
};

test('a client that nobody has authenticated is its address, which is asked for when it matters', () => {
  let asked = 0;
  const client = new OpenPrincipal(() => `192.0.2.${++asked}`);
  expect([client.kind, client.visibility.key, asked]).toEqual(['open', '', 0]);
  expect([client.id, asked]).toEqual(['192.0.2.1', 1]);
  for (const scope of scopes) expect(permits(client.scopes, scope)).toBe(true);
});

test('a scope permits only itself, admin permits all', () => {
  for (const held of scopes) {
    const permitted = scopes.filter((scope) => permits(new Set([held]), scope));
    expect(permitted).toEqual(held === 'admin' ? [...scopes] : [held]);
  }
});

describe('grants', () => {
  const grants = mergeGrants([grant(7, 'read', 'create'), grant(8), grant('*', 'update')]);

  test('an action is permitted on the table of the grant, or on all', () => {
    expect(grantsAction(grants, 7, 'create')).toBe(true);
    expect(grantsAction(grants, 7, 'delete')).toBe(false);
    expect(grantsAction(grants, 9, 'read')).toBe(false);
    expect(grantsAction(grants, 9, 'update')).toBe(true);
  });

  test('without grants every table is open, with an empty list none', () => {
    expect(grantsAction(undefined, 1, 'delete')).toBe(true);
    expect(grantsSight(undefined, 1)).toBe(true);
    expect(grantsAction(mergeGrants([]), 1, 'read')).toBe(false);
    expect(grantsSight(mergeGrants([]), 1)).toBe(false);
  });

  test('a table is seen through any action on it', () => {
    expect(grantsSight(mergeGrants([grant(7, 'create')]), 7)).toBe(true);
    expect(grantsSight(mergeGrants([grant(7)]), 7)).toBe(false);
    expect(grantsSight(mergeGrants([grant('*', 'read')]), 9)).toBe(true);
  });
});

describe('visibility classes', () => {
  test('grants that permit the same have one class, in any order and split', () => {
    const one = visibilityOf([grant(1, 'read', 'create'), grant(2, 'read')], 'bypass');
    const other = visibilityOf([grant(2, 'read'), grant(1, 'create'), grant(1, 'read')], 'bypass');
    expect(other.key).toBe(one.key);
  });

  test('of many grants have short keys, which are different', () => {
    const tables = Array.from({ length: 1000 }, (_, i) => grant(i, 'read'));
    const key = (grants: readonly Grant[]) => visibilityOf(grants, 'enforce').key;
    expect(key(tables)).toBe(key([...tables].reverse()));
    expect(key(tables)).not.toBe(key(tables.slice(1)));
    expect(key(tables).length).toBeLessThan(128);
  });

  test('no grants, an empty list, and other actions or tables are different classes', () => {
    const keys = [undefined, [], [grant(1, 'read')], [grant(1, 'create')], [grant('*', 'read')]];
    const classes = (['enforce', 'bypass'] as const).flatMap((mode) =>
      keys.map((grants) => visibilityOf(grants, mode).key),
    );
    expect(new Set(classes).size).toBe(2 * keys.length);
    expect(visibilityOf(undefined, 'bypass')).toBe(unrestricted);
  });
});
