/** Foreign keys both ways, and the waves of on_delete. */

import { describe, expect, test } from 'bun:test';
import type { ForeignKeyAction, IndexDefinition, Table } from '#catalog';
import type { DatabaseError, Failure } from '#failure';
import { catalogOf } from '../support/run.ts';
import { Bench } from './support.ts';

/** parent ← child through `pid`; `nulls` has no index, `by` names one that the reverse lookup can use. */
function family(action: ForeignKeyAction, indexes: IndexDefinition[] = []): Bench {
  return new Bench(
    catalogOf(
      { name: 'p', columns: [{ name: 'id', type: 'int64' }], primary_key: ['id'] },
      {
        name: 'c',
        columns: [
          { name: 'id', type: 'int64' },
          { name: 'pid', type: 'int64', nullable: true },
          { name: 'up', type: 'int64', nullable: true },
        ],
        primary_key: ['id'],
        indexes,
        foreign_keys: [
          { name: 'c_p', columns: ['pid'], ref_table: 'p', ref_columns: ['id'], on_delete: action },
          {
            name: 'c_c',
            columns: ['up'],
            ref_table: 'c',
            ref_columns: ['id'],
            on_delete: 'cascade',
          },
        ],
      },
    ),
  );
}

const index = [{ name: 'by_pid', columns: ['pid', 'id'] }];

function filled(action: ForeignKeyAction, indexes: IndexDefinition[] = []): Bench {
  const bench = family(action, indexes);
  bench.create(['p', 'id'], [1], [2], [3]);
  bench.create(['c', 'id', 'pid', 'up'], [10, 1, null], [11, 1, 10], [12, 2, 11], [13, null, 13]);
  return bench;
}

test('a row that set_null may not clear is none of the input', () => {
  const { catalog } = family('set_null');
  const [p, c] = catalog.tables as [Table, Table];
  const constraint = { kind: 'not_null', column: c.columns[1]?.id as number } as const;
  const facts = {
    id: 1,
    name: 'n',
    physicalId: 500,
    state: 'building',
    prerequisites: [],
  } as const;
  const transitions = [{ ...facts, kind: 'constraint_validation', constraint } as const];
  const bench = new Bench({ ...catalog, tables: [p, { ...c, transitions }] });
  bench.create(['p', 'id'], [1], [2]);
  bench.create(['c', 'id', 'pid'], [10, 2]);
  let failure: Failure | undefined;
  try {
    bench.delete(['p', 'id'], [1], [2]);
  } catch (error) {
    failure = (error as DatabaseError).failure;
  }
  expect(failure?.detail).toContain('column "pid" of table "c" does not accept NULL');
  expect(failure?.inputRow).toBeUndefined();
  expect(bench.rows('c')).toEqual([[10, 2, null]]);
});

describe('references of written rows', () => {
  test('must exist; NULL is exempt; rows may reference each other', () => {
    const bench = family('restrict');
    expect(bench.failure(() => bench.create(['c', 'id', 'pid'], [1, 9]))).toMatch(
      /^constraint_violation.*foreign key "c_p"/,
    );
    bench.create(['c', 'id', 'up'], [1, 2], [2, 1], [3, null]);
    expect(bench.failure(() => bench.update(['c', 'id', 'pid'], [1, 9]))).toContain('foreign key');
    bench.create(['p', 'id'], [9]);
    expect(bench.update(['c', 'id', 'pid'], [1, 9])).toEqual([[1, 9, 2]]);
  });
});

describe.each([
  ['by scan', []],
  ['by index', index],
] as const)('deleting, %s', (_, indexes) => {
  test('restrict refuses while a row remains', () => {
    const bench = filled('restrict', [...indexes]);
    expect(bench.failure(() => bench.delete(['p', 'id'], [3], [1]))).toMatch(
      /^constraint_violation.*is referenced by/,
    );
    bench.delete(['p', 'id'], [3]);
    bench.delete(['c', 'id'], [10]);
    expect(bench.delete(['p', 'id'], [1], [2])).toEqual([[1], [2]]);
  });

  test('cascade goes on from wave to wave', () => {
    const bench = filled('cascade', [...indexes]);
    bench.delete(['p', 'id'], [1]);
    expect(bench.rows('p')).toEqual([[2], [3]]);
    // 10 and 11 reference the parent; 12 goes with 11.
    expect(bench.rows('c')).toEqual([[13, null, 13]]);
  });

  test('set_null changes rows in place, with their index entries', () => {
    const bench = filled('set_null', [...indexes]);
    bench.delete(['p', 'id'], [1], [2]);
    expect(bench.rows('c')).toEqual([
      [10, null, null],
      [11, null, 10],
      [12, null, 11],
      [13, null, 13],
    ]);
    if (indexes.length > 0) expect(bench.rowsByIndex('c', 'by_pid')).toEqual(bench.rows('c'));
  });

  test('a row that references itself can go', () => {
    const bench = filled('restrict', [...indexes]);
    expect(bench.delete(['c', 'id'], [13])).toEqual([[13, null, 13]]);
  });
});

test('no_action tolerates what cascades of other keys remove', () => {
  const make = () => {
    const bench = new Bench(
      catalogOf(
        { name: 'a', columns: [{ name: 'id', type: 'int64' }], primary_key: ['id'] },
        {
          name: 'b',
          columns: [
            { name: 'id', type: 'int64' },
            { name: 'a1', type: 'int64', nullable: true },
            { name: 'a2', type: 'int64', nullable: true },
          ],
          primary_key: ['id'],
          foreign_keys: [
            {
              name: 'one',
              columns: ['a1'],
              ref_table: 'a',
              ref_columns: ['id'],
              on_delete: 'cascade',
            },
            {
              name: 'two',
              columns: ['a2'],
              ref_table: 'a',
              ref_columns: ['id'],
              on_delete: 'no_action',
            },
          ],
        },
      ),
    );
    bench.create(['a', 'id'], [1], [2]);
    return bench;
  };
  const tolerant = make();
  tolerant.create(['b', 'id', 'a1', 'a2'], [1, 1, 1]);
  tolerant.delete(['a', 'id'], [1]);
  expect(tolerant.rows('b')).toEqual([]);
  const strict = make();
  strict.create(['b', 'id', 'a1', 'a2'], [1, 2, 1]);
  expect(strict.failure(() => strict.delete(['a', 'id'], [1]))).toContain('is referenced by');
});

test('a composite key is followed through a key prefix in another order', () => {
  const bench = new Bench(
    catalogOf(
      {
        name: 'p',
        columns: [
          { name: 'x', type: 'int64' },
          { name: 'y', type: 'text' },
        ],
        primary_key: ['x', 'y'],
      },
      {
        name: 'c',
        columns: [
          { name: 'py', type: 'text' },
          { name: 'px', type: 'int64' },
          { name: 'n', type: 'int64' },
        ],
        primary_key: ['py', 'px', 'n'],
        foreign_keys: [
          {
            name: 'c_p',
            columns: ['px', 'py'],
            ref_table: 'p',
            ref_columns: ['x', 'y'],
            on_delete: 'cascade',
          },
        ],
      },
    ),
  );
  bench.create(['p', 'x', 'y'], [1, 'a'], [1, 'b']);
  bench.create(['c', 'py', 'px', 'n'], ['a', 1, 1], ['a', 1, 2], ['b', 1, 1]);
  bench.delete(['p', 'x', 'y'], [1, 'a']);
  expect(bench.rows('c')).toEqual([['b', 1, 1]]);
});
