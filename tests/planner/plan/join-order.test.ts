/** The order of joins, by what is known of the tables. */

import { describe, expect, test } from 'bun:test';
import { anyone } from '#access';
import { neverYield, runWithoutWaiting } from '#base';
import type { Node } from '#lir';
import type { PlanOptions, RelationPlan } from '#planner';
import type { Statistics } from '#statistics';
import { planQuerySteps } from '../../support/plan-query.ts';
import { explainProgram } from '../../support/plans.ts';
import { all, catalog, filter, full, join, lit, op, project, query, scan } from '../support.ts';

function counting(rows: Readonly<Record<string, number>>): Statistics {
  return {
    rowsOf: ({ name }) => rows[name] ?? 0,
    rowsWithin: () => 10,
    surveyed: () => undefined,
    surveyOf: () => 0,
  };
}

function planned(nodes: Record<string, Node>, statistics?: Statistics, options = full) {
  const setting = { catalog, options, statistics, principal: anyone, pace: neverYield };
  return runWithoutWaiting(planQuerySteps(query(nodes), setting));
}

/** Tables in the order in which the plan reads them, held sides of hash joins first. */
function order(nodes: Record<string, Node>, statistics?: Statistics, options?: PlanOptions) {
  const { statements } = planned(nodes, statistics, options);
  const [statement] = statements;
  if (statement === undefined || statement.kind === 'catalog') throw new Error('no plan');
  const tables: string[] = [];
  const visit = (plan: RelationPlan): void => {
    if (plan.kind === 'scan') tables.push(plan.table.name);
    if ('input' in plan) visit(plan.input);
    else if (plan.kind === 'hash_join' && plan.build === 'right') {
      visit(plan.right);
      visit(plan.left);
    } else if ('left' in plan) {
      visit(plan.left);
      visit(plan.right);
    }
  };
  visit(statement.query.root);
  return tables.join(' ');
}

const users = scan('user', 'u');
const posts = scan('post', 'p');
const notes = scan('note', 'n');
const byAuthor = op('eq', 'p.author', 'u.id');
const byOwner = op('eq', 'n.owner', 'u.id');

const chain = {
  p: posts,
  u: users,
  n: notes,
  few: filter('n', op('eq', 'n.id', lit('int64', '7'))),
  j: join('p', 'u', byAuthor),
  k: join('j', 'few', byOwner),
  x: project('k', { t: 'p.title', b: 'n.body', s: 'u.name' }),
};

describe('three tables', () => {
  const sizes = counting({ user: 50_000, post: 2_000_000, note: 400_000 });

  test('start with the fewest rows and look the others up', () => {
    expect(order(chain, sizes)).toBe('note user post');
    const text = explainProgram(planned(chain, sizes)).statements[0]?.text;
    expect(text?.match(/lookup join/g)?.length).toBe(2);
    expect(text).not.toContain('whole table');
  });

  test('as written when the order is left alone', () => {
    const left = { ...full, without: ['join_order'] as const };
    expect(explainProgram(planned(chain, sizes, left)).statements[0]?.text).toContain(
      'scan | table user | access whole table',
    );
  });

  test('written the other way round the plan is the same', () => {
    const other = { ...chain, j: join('few', 'u', byOwner), k: join('j', 'p', byAuthor) };
    const { p, u, n, few, j, k, x } = other;
    expect(order({ p, u, n, few, j, k, x }, sizes)).toBe('note user post');
  });

  test('an equality costs what its best way costs, any other condition each pair', () => {
    const compared = { ...chain, k: join('j', 'n', op('lt', 'n.id', 'p.rank')) };
    expect(order(compared, counting({ user: 1, post: 400_000, note: 1_000 }))).toBe(
      'user post note',
    );
    const equal = { ...chain, k: join('j', 'n', byOwner) };
    expect(order(equal, counting({ user: 50_000, post: 50_000, note: 10 }))).toBe('note post user');
    expect(order(equal, counting({ user: 1, post: 50_000, note: 400_000 }))).toBe('post user note');
  });

  test('a condition over all of them is tested once all are there', () => {
    const sum = { ...chain, k: join('j', 'few', all(byOwner, op('lt', 'p.rank', 'n.id'))) };
    const text = explainProgram(planned(sum, sizes)).statements[0]?.text;
    expect(text).toContain('residual rank < id');
  });
});

test('a merge costs more than reading both sides, so that lookups for few rows cost less', () => {
  const nodes = {
    u: users,
    p: posts,
    few: filter('u', op('lt', 'u.id', 100)),
    j: join('few', 'p', op('eq', 'u.id', 'p.author')),
    x: project('j', { t: 'p.title', s: 'u.name' }),
  };
  /** The join of `rows` users with a million posts, of which each has `rows` in turn. */
  const joinOf = (rows: number) => {
    const sizes = counting({ user: 1_000_000, post: 1_000_000 });
    const statistics: Statistics = {
      ...sizes,
      rowsWithin: ({ name }) => (name === 'user' ? rows : 1),
    };
    const text = explainProgram(planned(nodes, statistics)).statements[0]?.text;
    return /(?:merge|lookup|hash) join/.exec(text ?? '')?.[0];
  };
  // Reading a million posts costs as much as the lookups for about 3,000 users.
  expect([1_000, 3_500, 6_000, 600_000].map(joinOf)).toEqual([
    'lookup join',
    'lookup join',
    'merge join',
    'merge join',
  ]);
});

test('a chain of many tables is put in order step by step', () => {
  const nodes: Record<string, Node> = {};
  const count = 14;
  for (let i = 0; i < count; i++) nodes[`s${i}`] = scan('user', `u${i}`);
  nodes['few'] = filter('s13', op('eq', 'u13.id', 3));
  for (let i = 1; i < count; i++) {
    const [left, right] = [i === 1 ? 's0' : `j${i - 1}`, i === count - 1 ? 'few' : `s${i}`];
    nodes[`j${i}`] = join(left, right, op('eq', `u${i - 1}.id`, `u${i}.age`));
  }
  nodes['x'] = project(`j${count - 1}`, { n: 'u0.name' });
  const plan = planned(nodes, counting({ user: 100_000 }));
  const text = explainProgram(plan).statements[0]?.text;
  expect(text?.match(/lookup join/g)?.length).toBe(13);
  expect(text).not.toContain('whole table');
});
