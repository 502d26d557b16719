/** One row by its key while its table has transitions: written in plain calls, it leaves what operators leave. */

import { expect, test } from 'bun:test';
import type { Catalog, Table } from '#catalog';
import { rowViolationKey, tableLayout } from '#layout';
import type { RelationPlan } from '#planner';
import { Bench } from './mutate/support.ts';
import { col, interval, Parameters, project, scan, slice } from './support/plans.ts';
import { catalogOf, failureOf, mutation, runNow, tableOf } from './support/run.ts';

const stable = catalogOf({
  name: 't',
  columns: [
    { name: 'a', type: 'int64' },
    { name: 'n', type: 'text', nullable: true },
    { name: 'u', type: 'int64', nullable: true },
    { name: 'f', type: 'int64', nullable: true },
  ],
  primary_key: ['a'],
  indexes: [{ name: 'by_f', columns: ['f'] }],
});

const violationsOfReplacement = 501;
const violationsOfNotNull = 502;

/** An index over `u` in the making, `n` on its way to int64, and `f` on its way to take no NULL. */
const table = withTransitions(tableOf(stable, 't'));
const catalog: Catalog = { ...stable, tables: [table] };

function withTransitions(table: Table): Table {
  const [, n, u, f] = table.columns;
  if (n === undefined || u === undefined || f === undefined) throw new Error('four columns');
  const facts = { state: 'building' as const, prerequisites: [] };
  const index = { name: 'by_u', columns: [u.id], unique: true, physicalId: 500 };
  const target = { ...n, type: 'int64' as const, physicalId: violationsOfReplacement };
  const constraint = { kind: 'not_null' as const, column: f.id };
  return {
    ...table,
    transitions: [
      { ...facts, id: 1, kind: 'index_build', index },
      { ...facts, id: 2, kind: 'column_replacement', column: n.id, target },
      {
        ...facts,
        id: 3,
        kind: 'constraint_validation',
        name: 'f_not_null',
        physicalId: violationsOfNotNull,
        constraint,
      },
    ],
  };
}

/** Three rows, of which the last two violate what is being validated. */
function filled(): Bench {
  const bench = new Bench(catalog);
  bench.create(['t', 'a', 'n', 'u', 'f'], [1, '10', 1, 5], [2, '20', 1, 5], [3, null, 2, 6]);
  const { keyOfValues } = tableLayout(table);
  for (const a of [2, 3]) {
    for (const physicalId of [violationsOfReplacement, violationsOfNotNull]) {
      bench.transaction.put(rowViolationKey(physicalId, keyOfValues([a])), new Uint8Array(1));
    }
  }
  return bench;
}

type Kind = 'create' | 'update' | 'delete';
type Write = readonly [Kind, readonly string[], (p: Parameters) => RelationPlan];

const byKey = (p: Parameters, a: number) =>
  scan(table, { access: { kind: 'primary', interval: interval([p.lit('int64', a)]) } });

const writes: readonly Write[] = [
  ['update', ['a', 'n'], (p) => project(byKey(p, 2), col(0, 'int64'), p.lit('text', '21'))],
  ['update', ['a', 'n'], (p) => project(byKey(p, 2), col(0, 'int64'), p.lit('text', 'no number'))],
  ['update', ['a', 'u'], (p) => project(byKey(p, 1), col(0, 'int64'), p.lit('int64', 2))],
  ['update', ['a', 'f'], (p) => project(byKey(p, 3), col(0, 'int64'), p.lit('int64', 7))],
  ['update', ['a', 'f'], (p) => project(byKey(p, 3), col(0, 'int64'), p.lit('int64', null))],
  ['delete', ['a'], (p) => project(byKey(p, 1), col(0, 'int64'))],
  ['delete', ['a'], (p) => project(byKey(p, 3), col(0, 'int64'))],
  ['create', ['a', 'n', 'u', 'f'], (p) => rowOf(p, [4, '40', 1, 5])],
  ['create', ['a', 'n', 'u', 'f'], (p) => rowOf(p, [4, 'no number', 3, 5])],
  ['create', ['a', 'n', 'u', 'f'], (p) => rowOf(p, [4, '40', 3, null])],
  ['create', ['a', 'n', 'u', 'f'], (p) => rowOf(p, [3, '40', 3, 5])],
];

function rowOf(p: Parameters, row: readonly (number | string | null)[]): RelationPlan {
  return p.rows(['int64', 'text', 'int64', 'int64'], [row]);
}

/** `byOperators` puts a node on top that changes nothing. */
function written([kind, columns, relation]: Write, byOperators: boolean) {
  const p = new Parameters();
  const root = relation(p);
  const input = byOperators ? slice(root, 0) : root;
  const statement = mutation(kind, catalog, ['t', ...columns], input);
  const transaction = filled().transaction.slow(0);
  const outcome = runNow([statement], { catalog, transaction, parameters: p.values });
  const { operators } = outcome.statements[0] as (typeof outcome.statements)[number];
  return { rows: outcome.result?.rows, entries: transaction.entries, operators };
}

test.each(writes)('%s of %p', (kind, columns, relation) => {
  const write = [kind, columns, relation] as const;
  let plain: ReturnType<typeof written>;
  try {
    plain = written(write, false);
  } catch (error) {
    const refusal = failureOf(() => {
      throw error;
    });
    expect(refusal).toStartWith('constraint_violation');
    expect(failureOf(() => written(write, true))).toBe(refusal);
    return;
  }
  const other = written(write, true);
  expect(plain.rows).toEqual(other.rows as NonNullable<typeof plain.rows>);
  expect(plain.entries).toEqual(other.entries);
  expect(plain.operators).toEqual([]);
  expect(plain.entries).not.toEqual(filled().transaction.entries);
});

test.each(['index_build', 'column_replacement', 'constraint_validation'] as const)(
  'an %s alone is kept up with, by a key and by operators',
  (kind) => {
    const transitions = table.transitions?.filter((one) => one.kind === kind) ?? [];
    expect(transitions).toHaveLength(1);
    /** The entries after the row was written, or the refusal. */
    const after = (of: Table, byOperators: boolean) => {
      const catalog: Catalog = { ...stable, tables: [of] };
      const { transaction } = new Bench(catalog);
      const p = new Parameters();
      const root = rowOf(p, [4, '40', 3, null]);
      const input = byOperators ? slice(root, 0) : root;
      const statement = mutation('create', catalog, ['t', 'a', 'n', 'u', 'f'], input);
      try {
        runNow([statement], { catalog, transaction, parameters: p.values });
      } catch (error) {
        return failureOf(() => {
          throw error;
        });
      }
      return [...transaction.entries].toSorted();
    };
    for (const byOperators of [false, true]) {
      const plain = after(tableOf(stable, 't'), byOperators);
      const found = after({ ...table, transitions }, byOperators);
      expect(plain).toBeArray();
      if (kind === 'constraint_validation') expect(found).toStartWith('constraint_violation');
      else if (kind === 'index_build') expect(found).toHaveLength(plain.length + 1);
      else expect(found).toHaveLength(plain.length);
      expect(found).not.toEqual(plain);
    }
  },
);
