/** Rows that parts of a query were seen to have, in place of estimates. */

import { expect, test } from 'bun:test';
import { anyone, type Principal } from '#access';
import { neverYield, runWithoutWaiting } from '#base';
import { type Table, tableByName } from '#catalog';
import type { Node } from '#lir';
import { planQuerySteps } from '../../support/plan-query.ts';
import { explainProgram } from '../../support/plans.ts';
import { keyPrincipal, readerOf } from '../../support/principals.ts';
import { catalog, filter, full, join, lit, op, order, project, query, scan } from '../support.ts';

const statistics = {
  rowsOf: () => 100_000,
  rowsWithin: () => 12,
  surveyed: () => undefined,
  surveyOf: () => 1,
};

/** Every part had so many rows. */
function textOf(nodes: Record<string, Node>, seen: number | undefined): string {
  const seenBy = () => (seen === undefined ? undefined : { get: () => seen });
  const experience = { correctionOf: () => 7, seenBy };
  const setting = {
    catalog,
    options: full,
    statistics,
    experience,
    principal: anyone,
    pace: neverYield,
  };
  const plan = runWithoutWaiting(planQuerySteps(query(nodes, 'many'), setting));
  const [statement] = plan.statements;
  const made = statement?.kind === 'query' ? statement.query : undefined;
  expect(made?.family).toMatch(/^2-sha256-/);
  expect(made?.correction).toBe(seen === undefined ? 0 : 7);
  return explainProgram(plan).statements[0]?.text ?? '';
}

const users = scan('user', 'u');
const byName = filter('u', op('eq', 'u.name', lit('text', 'ann')));
const byAge = filter('u', op('eq', 'u.age', 3));

test('what was assumed is corrected', () => {
  const nodes = { u: users, f: byName, o: order('f', 'u.id') };
  expect(textOf(nodes, undefined)).toContain('[~1000 rows, assumed');
  expect(textOf(nodes, 77)).toContain('[~77 rows, feedback');
});

test('what the store counts for the literals at hand is not', () => {
  const nodes = { u: users, f: byAge, o: order('f', 'u.id') };
  expect(textOf(nodes, 50_000)).toContain('index user_age of 12 rows (counted)');
});

test('joins have the rows that they had', () => {
  const nodes = {
    u: users,
    p: scan('post', 'p'),
    j: join('u', 'p', op('eq', 'u.age', 'p.rank')),
    x: project('j', { id: 'u.id', seq: 'p.seq' }, 'x'),
    o: order('x', 'x.id', 'x.seq'),
  };
  expect(textOf(nodes, 4_321)).toMatch(/hash join.*\[~4321 rows, feedback/);
});

test('what runs for each row of another relation is as estimated', () => {
  const nodes = {
    p: scan('post', 'p'),
    few: filter('p', op('eq', 'p.author', 1)),
    u: users,
    j: join('few', 'u', op('eq', 'u.age', 'p.rank')),
    x: project('j', { id: 'u.id', seq: 'p.seq' }, 'x'),
    o: order('x', 'x.id', 'x.seq'),
  };
  expect(textOf(nodes, 3)).toContain('index user_age of 10 rows (assumed)');
});

test('classes of principals have families of their own, so that one learns nothing from another', () => {
  const nodes = { u: users, f: byName, o: order('f', 'u.id') };
  const experience = { correctionOf: () => 0, seenBy: () => undefined };
  const familyFor = (principal: Principal) => {
    const setting = { catalog, options: full, statistics, experience, principal, pace: neverYield };
    const [statement] = runWithoutWaiting(planQuerySteps(query(nodes, 'many'), setting)).statements;
    return statement?.kind === 'query' ? statement.query.family : undefined;
  };
  const { id } = tableByName(catalog, 'user') as Table;
  expect(familyFor(keyPrincipal('a'))).toBe(familyFor(anyone) as string);
  expect(familyFor(readerOf('a', id))).not.toBe(familyFor(anyone) as string);
  expect(familyFor(readerOf('a', id))).toBe(familyFor(readerOf('b', id)) as string);
  expect(familyFor(readerOf('a', id, 99))).not.toBe(familyFor(readerOf('a', id)) as string);
});
