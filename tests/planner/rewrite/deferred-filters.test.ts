/** Crossings of crossings as joins, and crossings that are tested after the joins that leave few rows. */

import { expect, test } from 'bun:test';
import { anyone } from '#access';
import { neverYield, runWithoutWaiting } from '#base';
import type { Node } from '#lir';
import type { PlanOptions } from '#planner';
import { planQuerySteps } from '../../support/plan-query.ts';
import { explainProgram } from '../../support/plans.ts';
import {
  all,
  catalog,
  crossing,
  filter,
  full,
  join,
  lit,
  op,
  order,
  project,
  query,
  scan,
  shortened,
  unary,
} from '../support.ts';

function textOf(nodes: Record<string, Node>, options: PlanOptions = full): string {
  const statistics = {
    rowsOf: () => 50_000,
    rowsWithin: () => 50,
    surveyed: () => undefined,
    surveyOf: () => 0,
  };
  const setting = { catalog, options, statistics, principal: anyone, pace: neverYield };
  const plan = runWithoutWaiting(planQuerySteps(query(nodes, 'many'), setting));
  return shortened(explainProgram(plan).statements[0]?.text ?? '');
}

const users = scan('user', 'u');
const notes = scan('note', 'n');
const own = op('eq', 'n.owner', 'u.id');

/** Users with notes whose owners' posts are tagged. */
function nested(isNegated = false): Record<string, Node> {
  const tagged = all(op('eq', 'p.seq', 'n.id'), op('eq', 'p.tag', lit('text', 'x')));
  const inner = crossing('exists', 'q');
  return {
    u: users,
    n: notes,
    p: scan('post', 'p'),
    q: filter('p', tagged),
    m: filter('n', all(own, isNegated ? unary('not', inner) : inner)),
    f: filter('u', crossing('exists', 'm')),
    o: order('f', 'u.id'),
  };
}

test.each([false, true])(
  'a crossing inside a crossing is a join inside a join (%s)',
  (isNegated) => {
    const text = textOf(nested(isNegated));
    expect(text).not.toContain('attach');
    expect(text.match(/join \| join/g)?.length).toBe(2);
  },
);

test('a condition on the row around is tested there', () => {
  const tested = all(op('eq', 'p.seq', 'u.age'), op('eq', 'p.tag', lit('text', 'x')));
  const nodes: Record<string, Node> = { ...nested(), q: filter('p', tested) };
  expect(textOf(nodes)).not.toContain('attach');
});

/** Notes that somebody has posted about, of users of an age. */
const joined: Record<string, Node> = {
  n: notes,
  p: scan('post', 'p'),
  q: filter('p', all(op('eq', 'p.author', 'n.id'), op('lt', 'p.rank', 'n.owner'))),
  f: filter('n', crossing('exists', 'q')),
  u: users,
  few: filter('u', op('eq', 'u.age', 7)),
  j: join('f', 'few', own),
  x: project('j', { note: 'n.id', user: 'u.id' }, 'x'),
  o: order('x', 'x.note'),
};

test('a crossing is tested after the join that leaves few rows', () => {
  const text = textOf(joined);
  expect(text.indexOf('attach')).toBeLessThan(text.indexOf('join | join'));
});

test('unless that is left out, or the join leaves more', () => {
  const early = textOf(joined, { ...full, without: ['late_tests'] });
  expect(early.indexOf('attach')).toBeGreaterThan(early.indexOf('join | join'));
  const { few: _, ...all } = joined;
  const more = { ...all, j: join('f', 'u', op('lt', 'n.owner', 'u.id')) };
  const { x, o, ...rest } = more as Record<string, Node>;
  const text = textOf({ ...rest, x: x as Node, o: o as Node });
  expect(text.indexOf('attach')).toBeGreaterThan(text.indexOf('join | join'));
});

test('all of several are', () => {
  const nodes = {
    r: scan('post', 'r'),
    s: filter('r', all(op('eq', 'r.author', 'u.id'), op('lt', 'r.rank', 'u.age'))),
    ...joined,
    few: filter('u', all(op('eq', 'u.age', 7), crossing('exists', 's'))),
  };
  expect(textOf(nodes)).toContain('crossings exists 0, exists 1');
});

test('a join whose condition can raise is not tested before', () => {
  const on = all(own, op('gt', op('add', 'n.id', 1), 2));
  const text = textOf({ ...joined, j: join('f', 'few', on) });
  expect(text.indexOf('attach')).toBeGreaterThan(text.indexOf('join | join'));
});
