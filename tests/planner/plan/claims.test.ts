/** The claims of a user make no estimate: a plan is shared by all users of a class, and must tell nothing of the one for whom it was made. */

import { expect, test } from 'bun:test';
import type { Claims } from '#access';
import { neverYield, runWithoutWaiting } from '#base';
import type { Catalog, PolicyExpressionOf, Table } from '#catalog';
import type { Statistics } from '#statistics';
import { visibilityOf } from '../../../src/access/visibility.ts';
import { claim, col, eq } from '../../catalog/policy/support.ts';
import { planQuerySteps } from '../../support/plan-query.ts';
import { explainProgram } from '../../support/plans.ts';
import { keyPrincipal } from '../../support/principals.ts';
import { surveyedAs } from '../../support/synopses.ts';
import { catalog, filter, full, join, lit, op, order, query, scan } from '../support.ts';

type Nodes = Parameters<typeof query>[0];

const rows = 100_000;
const [user, post] = catalog.tables as [Table, Table];
const idOf = (table: Table, name: string) =>
  table.columns.find((column) => column.name === name)?.id as number;

/** Half of the users are named `ann`, and nearly all are 7 years old. */
const statistics: Statistics = {
  rowsOf: () => rows,
  rowsWithin: (_, index, { prefix }) => (index === undefined || prefix[0] === 7 ? rows : 3),
  surveyed: (table) =>
    table === user
      ? surveyedAs(table, rows, {
          name: {
            distinct: 1_000,
            distinctInTable: 1_001,
            mostCommon: [{ value: 'ann', frequency: rows / 2, maximumError: 0 }],
          },
        })
      : undefined,
  surveyOf: () => 1,
};

function policed(where: PolicyExpressionOf<number>): Catalog {
  const claims = [
    { name: 'age', type: 'int64' },
    { name: 'name', type: 'text' },
  ] as const;
  const tables = [
    { table: user.id, read: { where } },
    { table: post.id, read: 'all' as const },
  ];
  return { ...catalog, policies: { claims, tables } };
}

function planFor(claims: Claims, where: PolicyExpressionOf<number>, nodes: Nodes): string {
  const principal = keyPrincipal('user', {
    claims,
    visibility: visibilityOf(undefined, 'enforce'),
  });
  const setting = {
    ...{ catalog: policed(where), principal, options: full, statistics },
    pace: neverYield,
  };
  const root = Object.keys(nodes).at(-1) as string;
  const terms = root === 'j' ? ['u.id', 'p.seq'] : ['u.id'];
  const asked = query({ ...nodes, o: order(root, ...terms) }, 'many');
  const plan = runWithoutWaiting(planQuerySteps(asked, setting));
  return JSON.stringify(explainProgram(plan).statements);
}

const users = { u: scan('user', 'u') };
const readings: readonly (readonly [string, Nodes])[] = [
  ['a scan', users],
  [
    'a filter by the same column',
    { ...users, f: filter('u', op('eq', 'u.name', lit('text', 'ann'))) },
  ],
  ['a join', { ...users, p: scan('post', 'p'), j: join('u', 'p', op('eq', 'u.id', 'p.author')) }],
];
const conditions = [
  ['a column with a common value', eq(col('row', idOf(user, 'name')), claim('name'))],
  ['a column with an index', eq(col('row', idOf(user, 'age')), claim('age'))],
] as const;
const holders: readonly Claims[] = [
  { name: 'ann', age: 7 },
  { name: 'bob', age: 8 },
  { name: 'nobody', age: -1 },
  {},
];

test.each(
  readings.flatMap(([reading, nodes]) =>
    conditions.map(([condition, where]) => [reading, condition, nodes, where] as const),
  ),
)('%s under a policy on %s has one plan and one estimate for all users', (_, __, nodes, where) => {
  const plans = new Set(holders.map((claims) => planFor(claims, where, nodes)));
  expect(plans.size).toBe(1);
  const [plan = ''] = plans;
  expect(plan).toContain('rows');
});

test('a literal in the place of the claim has an estimate of its own', () => {
  const name = (value: string): PolicyExpressionOf<number> =>
    eq(col('row', idOf(user, 'name')), { kind: 'lit', value: { type: 'text', value } });
  const [common, rare] = ['ann', 'bob'].map((value) => planFor({}, name(value), users));
  expect(common).not.toBe(rare as string);
});
