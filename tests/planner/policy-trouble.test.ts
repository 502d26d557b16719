/** Policies that cannot be stored, each with the place and the reason. */

import { expect, test } from 'bun:test';
import { neverYield, runSteps, runWithoutWaiting, type YieldPolicy } from '#base';
import { type Catalog, emptyCatalog, type Policies, type PolicyCondition } from '#catalog';
import { policyTrouble } from '#planner';
import { claim, col, eq } from '../catalog/policy/support.ts';
import { catalogOf, posts, users } from '../catalog/support.ts';

const catalog = catalogOf(users, posts);
const troubleOf = (of: Catalog) => runWithoutWaiting(policyTrouble(of, neverYield));

function withRead(read: PolicyCondition, claims: Policies['claims'] = []): Catalog {
  return { ...catalog, policies: { claims, tables: [{ table: 2, read }] } };
}

const sub = [{ name: 'sub', type: 'text' }] as const;

test.each<[string, PolicyCondition, string]>([
  [
    'a claim that is not declared',
    { where: eq(col('row', 1), claim('org')) },
    '/where/right invalid',
  ],
  ['a claim of another type', { where: eq(col('row', 1), claim('sub')) }, '/where type_mismatch'],
  ['a condition that is no boolean', { where: col('row', 1) }, '/where type_mismatch'],
  [
    'a negation that can overflow',
    { where: eq(col('row', 1), { kind: 'unary', op: 'negate', expr: col('row', 2) }) },
    '/where invalid',
  ],
  [
    'a cast that can fail, inside of exists',
    {
      where: { kind: 'exists', node: 'f' },
      nodes: {
        u: { kind: 'scan', table: 1, scope: 'u' },
        f: {
          ...{ kind: 'filter', input: 'u' },
          predicate: eq(col('u', 1), { kind: 'unary', op: 'negate', expr: col('u', 1) }),
        },
      },
    },
    '/where invalid',
  ],
])('%s', (_, read, found) => {
  const trouble = troubleOf(withRead(read, sub));
  expect(`${trouble?.pointer} ${trouble?.reason}`).toBe(found);
  expect(trouble).toMatchObject({ table: 2, action: 'read' });
});

test('correct policies have none, and neither has a catalog without policies', () => {
  const read = { where: eq(col('row', 1), col('row', 2)) };
  expect(troubleOf(withRead(read))).toBeUndefined();
  expect(troubleOf(emptyCatalog)).toBeUndefined();
});

test('other work can run before each rule', async () => {
  let turns = 0;
  const pace: YieldPolicy = {
    pause: () => Promise.resolve().then(() => void turns++),
    wait: (pending) => pending,
  };
  const where = eq(col('row', 1), col('row', 2));
  const rules = { read: { where }, create: { where }, update: { where }, delete: { where } };
  const policies = { claims: [], tables: [{ table: 2, ...rules }] };
  expect(await runSteps(policyTrouble({ ...catalog, policies }, pace), pace)).toBeUndefined();
  expect(turns).toBeGreaterThanOrEqual(4);
});
