/** Scopes and grants in the claims of a token. */

import { describe, expect, test } from 'bun:test';
import { bindGrants, defaultScopeNames, grantsIn, scopesIn } from '#authentication';

const scopesOf = (claims: Record<string, unknown>) => [...scopesIn(claims, defaultScopeNames)];

describe('scopes', () => {
  test.each([
    [{ scope: 'svc:read svc:write' }, ['read', 'write']],
    [{ scope: 'openid svc:admin' }, ['admin']],
    [{ scp: ['svc:metrics', 'svc:schema'] }, ['schema', 'metrics']],
    [{ scope: 'svc:reader xsvc:read svc:read,svc:write' }, []],
    [{ scope: 'SVC:READ' }, []],
    [{ scope: 'svc:read\tsvc:write' }, []],
    [{ scope: ['svc:read'] }, []],
    [{ scope: '', scp: ['svc:read'] }, []],
    [{ scp: 'svc:read' }, []],
    [{ scp: [['svc:read'], 1, null] }, []],
    [{}, []],
  ])('%j', (claims, expected) => {
    expect(scopesOf(claims)).toEqual(expected as never);
  });

  test('have the configured names', () => {
    const names = {
      ...defaultScopeNames,
      read: ['db.read', 'db.all'],
      write: ['db.all'],
      admin: [],
    };
    expect([...scopesIn({ scope: 'db.all svc:admin' }, names)]).toEqual(['read', 'write']);
  });
});

const tables = { identity: () => ({}), idOf: (name: string) => ({ orders: 7, 'a:b': 8 })[name] };
const grantsOf = (value: unknown) => {
  const grants = grantsIn({ svc_grants: value }, 'svc_grants');
  return grants && bindGrants(grants, tables)?.map(({ table, actions }) => [table, ...actions]);
};

describe('grants', () => {
  test.each([
    [['orders:read,create'], [[7, 'read', 'create']]],
    [['*:read'], [['*', 'read']]],
    [['a:b:read'], [[8, 'read']]],
    [
      ['orders:update', 'orders:read'],
      [
        [7, 'update'],
        [7, 'read'],
      ],
    ],
    [
      ['orders:delete', '*:read'],
      [
        [7, 'delete'],
        ['*', 'read'],
      ],
    ],
    [['other:read', 'orders:read'], [[7, 'read']]],
    [[], []],
  ])('%j are bound to tables', (value, expected) => {
    expect(grantsOf(value)).toEqual(expected as never);
  });

  test.each([
    null,
    'orders:read',
    {},
    [null],
    ['orders:read', 1],
    ['orders:read', 'orders'],
    ['orders:read', ':read'],
    ['orders:read', 'orders:'],
    ['orders:read', 'orders:read,'],
    ['orders:read', 'orders:read, create'],
    ['orders:read', 'orders:Read'],
    ['orders:read', 'orders:*'],
    ['orders:read', 'orders:constructor'],
    ['orders:read', 'other:update'],
    ['orders:read', '*:delete'],
    ['orders:update'],
  ])('%j are malformed, and permit nothing', (value) => {
    expect(grantsOf(value)).toEqual([]);
  });

  test('do not restrict a token without the claim', () => {
    expect(grantsIn({ other: [] }, 'svc_grants')).toBeUndefined();
    expect(grantsIn({}, 'toString')).toBeUndefined();
  });
});
