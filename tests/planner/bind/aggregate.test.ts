/** Aggregates, sets, branches and rows: static rules (docs/lir.md §5, §6, §6.1). */

import { describe, expect, test } from 'bun:test';
import type { AggregateFunction, Expression, Node, RowsNode } from '#lir';
import { TextRows } from '#value';
import {
  crossing,
  detailOf,
  join,
  lit,
  numbers,
  op,
  planOf,
  project,
  query,
  refusalOf,
  scan,
  type Term,
  term,
} from '../support.ts';

const users = scan('user', 'u');

describe('aggregates', () => {
  const fold = (fn: AggregateFunction, arg?: Term): Node => ({
    kind: 'aggregate',
    input: 's',
    aggs: [{ fn, as: 'x', ...(arg !== undefined && { arg: term(arg) }) }],
  });
  const at = 'type_mismatch /nodes/g/aggs/0';
  test('types of folds', () => {
    const typeOf = (node: Node) => planOf(query({ s: users, g: node })).statements[0];
    for (const [node, type, nullable] of [
      [fold('count'), 'int64', false],
      [fold('count', 'u.name'), 'int64', false],
      [fold('sum', 'u.age'), 'int64', true],
      [fold('sum', 'u.score'), 'float64', true],
      [fold('avg', 'u.age'), 'float64', true],
      [fold('max', 'u.avatar'), 'bytes', true],
    ] as const) {
      expect(typeOf(node)).toMatchObject({
        query: { output: [{ name: 'x', type: { kind: type }, nullable }] },
      });
    }
  });

  test('arguments', () => {
    expect(refusalOf(query({ s: users, g: fold('sum') }))).toBe(at);
    expect(refusalOf(query({ s: users, g: fold('sum', 'u.name') }))).toBe(at);
    expect(refusalOf(query({ s: users, g: fold('avg', 'u.active') }))).toBe(at);
    expect(
      refusalOf(query({ s: users, i: numbers('i', 1), g: fold('count', crossing('first', 'i')) })),
    ).toBe(at);
  });

  test('names', () => {
    const computed: Node = {
      kind: 'aggregate',
      input: 's',
      groups: [{ expr: op('add', 'u.id', 1) }],
    };
    expect(refusalOf(query({ s: users, g: computed }))).toBe(
      'projection_collision /nodes/g/groups/0',
    );
    const shared: Node = {
      kind: 'aggregate',
      input: 's',
      groups: [{ expr: term('u.age') }],
      aggs: [{ fn: 'count', as: 'age' }],
    };
    expect(refusalOf(query({ s: users, g: shared }))).toBe('projection_collision /nodes/g/aggs/0');
  });
});

describe('set operators', () => {
  const both = (left: Node, right: Node) =>
    query({ l: left, r: right, u: { kind: 'concatenate', inputs: ['l', 'r'], scope: 'u' } });
  const rows = (scope: string, ...columns: RowsNode['columns']): Node => ({
    kind: 'rows',
    scope,
    columns,
    rows: [],
  });
  const x = { name: 'x', type: 'int64' } as const;
  test('count, names and types must agree by position', () => {
    const at = 'type_mismatch /nodes/u';
    const y = { name: 'y', type: 'int64' } as const;
    expect(refusalOf(both(rows('a', x), rows('b', x, y)))).toBe(at);
    expect(refusalOf(both(rows('a', x), rows('b', y)))).toBe(at);
    expect(refusalOf(both(rows('a', x, y), rows('b', y, x)))).toBe(at);
    expect(refusalOf(both(rows('a', x), rows('b', { ...x, type: 'text' })))).toBe(at);
    planOf(both(rows('a', x), rows('b', { ...x, nullable: true })));
  });

  test('rows and arrays do not belong there', () => {
    const nested = {
      i: numbers('i', 1),
      k: numbers('k', 1),
      l: project('k', { v: crossing('first', 'i') }),
    };
    const more = {
      j: numbers('j', 1),
      m: numbers('m', 1),
      r: project('m', { v: crossing('first', 'j') }),
    };
    const u: Node = { kind: 'except', left: 'l', right: 'r', quantifier: 'all', scope: 'u' };
    expect(refusalOf(query({ ...nested, ...more, u }))).toBe('type_mismatch /nodes/u');
  });
});

describe('crossings have no place', () => {
  test('in the condition of a join', () => {
    const nodes = { l: numbers('a', 1), r: numbers('b', 1), i: numbers('c', 1) };
    expect(refusalOf(query({ ...nodes, j: join('l', 'r', crossing('exists', 'i')) }))).toBe(
      'invalid /nodes/j/on',
    );
  });

  test('anywhere in a branch', () => {
    const branch = (when: Term, then: Term): Expression => ({
      kind: 'branch',
      branches: [{ when: term(when), then: term(then) }],
      else: term(1),
    });
    const of = (expression: Expression) =>
      refusalOf(
        query({ s: numbers('a', 1), i: numbers('c', 1), p: project('s', { v: expression }) }),
      );
    const at = 'invalid /nodes/p/fields/0/expr/branches/0';
    expect(of(branch(crossing('exists', 'i'), 1))).toBe(`${at}/when`);
    expect(of(branch(true, op('add', crossing('scalar', 'i'), 1)))).toBe(`${at}/then/left`);
  });
});

describe('rows', () => {
  const rows = (type: RowsNode['columns'][number]['type'], ...cells: (string | null)[]) =>
    query({
      r: { kind: 'rows', scope: 'r', columns: [{ name: 'x', type }], rows: cells.map((c) => [c]) },
    });
  test('cells are decoded by the type of their column', () => {
    expect(planOf(rows('int64', '+7', '007', '-9223372036854775808')).parameters).toEqual([
      [[7], [7], [-9223372036854775808n]],
    ]);
  });

  test('bad cells', () => {
    expect(refusalOf(rows('int64', '1', null))).toBe('type_mismatch /nodes/r/rows/1');
    expect(refusalOf(rows('int64', 'x'))).toBe('type_mismatch /nodes/r/rows/0');
    expect(refusalOf(rows('float64', 'Infinity'))).toBe('type_mismatch /nodes/r/rows/0');
    expect(refusalOf(rows('bool', 'yes'))).toBe('schema_violation /nodes/r/rows/0');
    expect(refusalOf(rows('bytes', '/w'))).toBe('schema_violation /nodes/r/rows/0');
  });

  test('details count rows from 1', () => {
    expect(detailOf(rows('int64', '1', null))).toBe(
      'row 2 has NULL in column "x", which is not nullable',
    );
    expect(detailOf(rows('int64', 'x'))).toStartWith('row 1, column "x": expected');
  });

  test('cells that are still text', () => {
    // Two rows of one cell, `12` and `x`.
    const text = '[["12"],["x"]]';
    const columns = [{ name: 'x', type: 'int64' }] as const;
    const left = (...[places, length, width]: [number[], number, number]) =>
      query({
        r: {
          kind: 'rows',
          scope: 'r',
          columns,
          rows: new TextRows(text, Uint32Array.from(places), length, width),
        },
      });
    expect(planOf(left([3, 5], 1, 1)).parameters).toEqual([[[12]]]);
    expect(refusalOf(left([3, 5, 10, 11], 2, 1))).toBe('type_mismatch /nodes/r/rows/1');
    expect(refusalOf(left([3, 5, 0, 0], 2, 1))).toBe('type_mismatch /nodes/r/rows/1');
    expect(refusalOf(left([3, 5, 3, 5], 1, 2))).toBe('schema_violation /nodes/r/rows/0');
    expect(refusalOf(left([], 1, 0))).toBe('schema_violation /nodes/r/rows/0');
  });

  test('names are unique', () => {
    const x = { name: 'x', type: 'int64' } as const;
    const r: Node = { kind: 'rows', scope: 'r', columns: [x, x], rows: [] };
    expect(refusalOf(query({ r }))).toBe('projection_collision /nodes/r');
  });

  test('a literal out of place', () => {
    expect(
      refusalOf(
        query({ s: numbers('a', 1), p: project('s', { v: lit('int64', '99999999999999999999') }) }),
      ),
    ).toBe('type_mismatch /nodes/p/fields/0/expr');
  });
});
