/** A failure as its principal sees it: the violated constraint only if all tables that it involves are visible. */

import { expect, test } from 'bun:test';
import { anyone, type Principal, shownError } from '#access';
import { type DatabaseError, fail } from '#failure';
import { catalog, failureOf } from './support.ts';

const [first, second] = catalog.tables.map(({ id, name }) => ({ id, name })) as [
  { readonly id: number; readonly name: string },
  { readonly id: number; readonly name: string },
];
const constraint = {
  kind: 'foreign_key',
  table: second.name,
  name: 'secret',
} as const;
const limited: Principal = {
  ...anyone,
  visibility: {
    key: 'limited',
    grants: new Map([[first.id, new Set(['read', 'delete'] as const)]]),
    policies: 'bypass',
  },
};

function shown(principal: Principal, mentions: readonly (typeof first)[]) {
  const execution = { table: first.name, index: 'secret' };
  const error = fail('constraint_violation', 'secret', { execution, constraint, mentions });
  const failed = { catalog, needs: undefined };
  return failureOf(() => {
    throw shownError(error, principal, failed) as DatabaseError;
  });
}

test('a principal without restrictions sees the constraint', () => {
  expect(shown(anyone, [first, second]).constraint).toEqual(constraint);
});

test('a constraint that involves an invisible table is not shown', () => {
  expect(JSON.stringify(shown(limited, [first, second]))).not.toContain('secret');
  expect(shown(limited, [first, second])).not.toHaveProperty('constraint');
});
