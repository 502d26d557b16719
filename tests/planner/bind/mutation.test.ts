/** The shape of mutations (docs/pir.md §4), and statements that bind against changed catalogs. */

import { describe, expect, test } from 'bun:test';
import type { Query, RowsColumn } from '#lir';
import type { MutationStatement, Statement } from '#pir';
import { explainProgram } from '../../support/plans.ts';
import {
  crossing,
  failureOf,
  filter,
  join,
  numbers,
  op,
  order,
  planAll,
  project,
  query,
  refusalOfProgram,
  scan,
} from '../support.ts';

const int = (name: string, nullable = false): RowsColumn => ({ name, type: 'int64', nullable });
const text = (name: string, nullable = false): RowsColumn => ({ name, type: 'text', nullable });

function rows(...columns: readonly RowsColumn[]): Query {
  return query({ r: { kind: 'rows', scope: 'r', columns, rows: [] } }, 'many');
}

function mutation(
  kind: MutationStatement['kind'],
  relation: Query,
  table = 'note',
): MutationStatement {
  return { kind, name: 'm', table, relation };
}

const refused = (kind: MutationStatement['kind'], ...columns: readonly RowsColumn[]) =>
  refusalOfProgram(mutation(kind, rows(...columns))).replace(' /statements/0/relation/nodes/r', '');

describe('columns', () => {
  test('must be columns of the target, of its type', () => {
    expect(refused('create', int('id'), int('zz'))).toBe('unknown_column');
    expect(refused('create', int('id'), text('owner'))).toBe('type_mismatch');
    expect(refused('create', int('id'), int('owner', true))).toBe('type_mismatch');
  });

  test('of a table that is not there: the table is pointed at', () => {
    expect(refusalOfProgram(mutation('create', rows(int('zz')), 'nothing'))).toBe(
      'unknown_table /statements/0/table',
    );
  });

  test('are named once', () => {
    const nodes = { l: numbers('a', 1), r: numbers('b', 1), j: join('l', 'r', true) };
    expect(refusalOfProgram(mutation('delete', query(nodes)))).toMatch(/^unknown_column/);
    const same = {
      l: project1('a', 'owner'),
      r: project1('b', 'owner'),
      j: join('pa', 'pb', true),
    };
    const both = query({ ...same.l, ...same.r, j: same.j });
    expect(refusalOfProgram(mutation('create', both))).toMatch(/^projection_collision/);
  });
});

function project1(scope: string, name: string) {
  return {
    [scope]: numbers(scope, 1),
    [`p${scope}`]: project(scope, { [name]: `${scope}.n` }),
  };
}

describe('shapes', () => {
  test('create needs what has no default', () => {
    expect(refused('create', int('id'))).toBe('type_mismatch');
    planAll([mutation('create', rows(int('owner')))], 'm');
  });

  test('update needs the key and something else', () => {
    expect(refused('update', int('owner'))).toBe('type_mismatch');
    expect(refused('update', int('id'))).toBe('type_mismatch');
    planAll([mutation('update', rows(text('body', true), int('id')))], 'm');
  });

  test('delete takes exactly the key, nullable or not', () => {
    expect(refused('delete', int('id'), int('owner'))).toBe('type_mismatch');
    planAll([mutation('delete', rows(int('id', true)))], 'm');
  });

  test('the root cardinality is ignored, columnIndexes follow the table', () => {
    const plan = planAll([mutation('create', rows(text('body'), int('owner')))], 'm');
    expect(plan.statements[0]).toMatchObject({ kind: 'create', columnIndexes: [-1, 1, 0] });
    expect(plan.isReadOnly).toBe(false);
  });
});

test('later statements bind against the changed catalog', () => {
  const column = { name: 'mood', type: 'text', nullable: true } as const;
  const created = { kind: 'create_column', name: 'c', table_id: 3, column } as const;
  const reads = query({ s: scan('note', 'n'), p: project('s', { v: 'n.mood' }) });
  const plan = planAll([created, { kind: 'query', name: 'q', relation: reads }], 'q');
  expect(plan.catalogAfter).not.toBe(plan.catalog);
  expect(plan.statements[1]?.catalog).toBe(plan.catalogAfter);
  expect(refusalOfProgram({ kind: 'query', name: 'q', relation: reads }, created)).toBe(
    'unknown_column /statements/0/relation/nodes/p/fields/0/expr',
  );
});

test('a failure names its statement', () => {
  const gone = { kind: 'delete_table', name: 'gone', table_id: 77 } as const;
  const failure = failureOf(() => planAll([gone]));
  expect(failure).toMatchObject({
    reason: 'invalid',
    location: { pointer: '/statements/0', binding: 'gone' },
  });
  expect(failure.detail).toStartWith('statement "gone": ');
  const bad = failureOf(() => planAll([mutation('create', rows(int('id')))]));
  expect(bad.detail).toStartWith('statement "m": ');
  expect(bad.location).toMatchObject({ node: 'r', binding: 'm' });
});

describe('an ordered create', () => {
  const ordered = (relation: Query): MutationStatement => ({
    ...mutation('create', relation),
    ordered: true,
  });
  const notes = { s: scan('user', 'u'), p: project('s', { owner: 'u.id' }, 'p') };
  const numbered = { r: numbers('r', 1, 2), p: project('r', { owner: 'r.n' }, 'p') };
  const list = query({ t: { kind: 'ref', binding: 'm', scope: 't' } }, 'many');

  test('needs an order, literal rows, a single row, or a root for any order', () => {
    expect(refusalOfProgram(ordered(query(notes)))).toBe(
      'nondeterministic_order /statements/0/relation/nodes/p',
    );
    const { root, ...rest } = query(notes);
    planAll([ordered({ ...rest, root: { ...root, unordered: true } })], 'm');
    planAll([ordered(query({ ...notes, o: order('p', 'p.owner') }))], 'm');
    const o = order('s', 'u.name');
    const p = project('o', { owner: 'u.id' });
    planAll(
      [ordered(query({ s: notes.s, o, l: { kind: 'slice', input: 'o', limit: 5 }, p }))],
      'm',
    );
    planAll([ordered(query({ ...numbered, f: filter('p', op('gt', 'p.owner', 1)) }))], 'm');
    planAll([ordered(query({ ...notes, l: { kind: 'slice', input: 'p', limit: 1 } }))], 'm');
    const d = { kind: 'distinct', input: 'p' } as const;
    expect(refusalOfProgram(ordered(query({ ...numbered, d })))).toMatch(/^nondeterministic/);
  });

  test('has an ordered result, and another mutation has none', () => {
    const read: Statement = { kind: 'query', name: 'q', relation: list };
    planAll([ordered(query(numbered)), read], 'q');
    expect(refusalOfProgram(mutation('create', query(numbered)), read)).toMatch(/^nondeterm/);
  });

  test('keeps the order of literal rows that a test of existence filters', () => {
    const many = Array.from({ length: 5_000 }, (_, i) => i);
    const nodes = {
      ...numbered,
      r: numbers('r', ...many),
      s: scan('note', 'n'),
      e: filter('s', op('eq', 'n.owner', 'p.owner')),
      f: filter('p', crossing('exists', 'e')),
    };
    const textOfCreate = (statement: MutationStatement) => {
      const [shown] = explainProgram(planAll([statement], 'm')).statements;
      return shown?.text;
    };
    expect(textOfCreate(mutation('create', query(nodes)))).toContain('join');
    expect(textOfCreate(ordered(query(nodes)))).not.toContain('join');
  });
});
