/** Derived and recursive bindings (docs/lir.md §9.1, §9.2). */

import { describe, expect, test } from 'bun:test';
import type { Binding, Node } from '#lir';
import {
  crossing,
  filter,
  join,
  lit,
  numbers,
  op,
  planAll,
  planOf,
  project,
  query,
  refusalOf,
  refusalOfProgram,
  term,
} from '../support.ts';

const ref = (binding: string, scope: string): Node => ({ kind: 'ref', binding, scope });
const frontier = (scope: string, binding = 'b'): Node => ({
  kind: 'recursive_ref',
  binding,
  scope,
});
const derived = (node: string): Binding => ({ kind: 'derived', node });

describe('derived', () => {
  test('are bound before those that use them', () => {
    const nodes = { x: ref('b', 'x'), y: numbers('y', 1), m: ref('a', 'm') };
    const plan = planOf(query(nodes, 'exactly_one', { a: derived('x'), b: derived('y') }));
    expect(plan.statements[0]).toMatchObject({
      query: { bindings: [{ name: 'b' }, { name: 'a' }] },
    });
  });

  test('see no scope from outside and must be used', () => {
    const hidden = { y: numbers('y', 1), m: ref('b', 'm'), f: filter('m', op('eq', 'y.n', 1)) };
    expect(refusalOf(query(hidden, 'exactly_one', { b: derived('y') }))).toBe(
      'unknown_scope /nodes/f/predicate/left',
    );
    const unused = { y: numbers('y', 1), m: numbers('m', 1) };
    expect(refusalOf(query(unused, 'many', { b: derived('y') }))).toBe(
      'unknown_binding /bindings/b',
    );
    expect(refusalOf(query({ m: ref('zz', 'm') }))).toBe('unknown_binding /nodes/m');
  });

  test('may not go round in circles', () => {
    const nodes = { x: ref('b', 'x'), y: ref('a', 'y'), m: ref('a', 'm') };
    expect(refusalOf(query(nodes, 'exactly_one', { a: derived('x'), b: derived('y') }))).toBe(
      'binding_cycle /bindings/a',
    );
  });

  test('have unique columns and names of their own', () => {
    const pair = {
      l: numbers('l', 1),
      r: numbers('r', 1),
      j: join('l', 'r', true),
      m: ref('b', 'm'),
    };
    expect(refusalOf(query(pair, 'exactly_one', { b: derived('j') }))).toBe(
      'binding_output_collision /nodes/j',
    );
    const taken = query({ y: numbers('y', 1), m: ref('later', 'm') }, 'exactly_one', {
      later: derived('y'),
    });
    const later = query({ r: numbers('a', 1) });
    expect(
      refusalOfProgram(
        { kind: 'query', name: 'now', relation: taken },
        { kind: 'query', name: 'later', relation: later },
      ),
    ).toBe('binding_output_collision /statements/0/relation/bindings/later');
  });
});

describe('statements', () => {
  const row = query({ r: numbers('a', 1) });
  test('earlier results are bindings, later ones are not', () => {
    const reads = query({ m: ref('one', 'm') });
    planAll([
      { kind: 'query', name: 'one', relation: row },
      { kind: 'query', name: 'two', relation: reads },
    ]);
    expect(
      refusalOfProgram(
        { kind: 'query', name: 'two', relation: reads },
        { kind: 'query', name: 'one', relation: row },
      ),
    ).toBe('unknown_binding /statements/0/relation/nodes/m');
  });

  test('only results that somebody reads are kept', () => {
    const reads = query({ m: ref('one', 'm') });
    const plan = planAll(
      [
        { kind: 'query', name: 'zero', relation: row },
        { kind: 'query', name: 'one', relation: row },
        { kind: 'query', name: 'two', relation: reads },
      ],
      'two',
    );
    expect(plan.statements.map(({ isReferenced }) => isReferenced)).toEqual([false, true, true]);
  });
});

describe('recursive', () => {
  const recursive: Binding = { kind: 'recursive', anchor: 'a', step: 's', accumulation: 'new' };
  const anchor = { a: numbers('a', 1), m: ref('b', 'm') };
  const withStep = (nodes: Record<string, Node>, more: Record<string, Binding> = {}) =>
    query({ ...nodes, ...anchor }, 'exactly_one', { b: recursive, ...more });
  const refused = (nodes: Record<string, Node>) => refusalOf(withStep(nodes));

  test('a plain step', () => {
    const next = project('f', { n: op('add', 'f.n', 1) });
    planOf(withStep({ f: frontier('f'), s: next }));
  });

  test('the frontier has its place', () => {
    expect(refused({ s: numbers('x', 1) })).toBe('invalid /nodes/s');
    const twice = join('f', 'g', true);
    const both = { f: frontier('f'), g: frontier('g'), j: twice, s: project('j', { n: 'f.n' }) };
    expect(refused(both)).toBe('invalid /nodes/g');
    const count: Node = { kind: 'aggregate', input: 'f', aggs: [{ fn: 'count', as: 'n' }] };
    expect(refused({ f: frontier('f'), s: count })).toBe('invalid /nodes/f');
    expect(refused({ f: frontier('f'), s: { kind: 'slice', input: 'f', limit: 1 } })).toBe(
      'invalid /nodes/f',
    );
    const padded = join('x', 'f', true, 'left');
    expect(
      refused({ x: numbers('x', 1), f: frontier('f'), j: padded, s: project('j', { n: 'x.n' }) }),
    ).toBe('invalid /nodes/f');
    const except: Node = { kind: 'except', left: 'x', right: 'f', quantifier: 'all', scope: 'e' };
    expect(refused({ x: numbers('x', 1), f: frontier('f'), s: except })).toBe('invalid /nodes/f');
    const inCrossing = project('x', { n: crossing('scalar', 'l') });
    const one: Node = { kind: 'slice', input: 'f', limit: 1 };
    expect(refused({ x: numbers('x', 1), f: frontier('f'), l: one, s: inCrossing })).toBe(
      'invalid /nodes/f',
    );
    const inAnchor = query(
      { a: frontier('a'), s: numbers('x', 1), m: ref('b', 'm') },
      'exactly_one',
      {
        b: recursive,
      },
    );
    expect(refusalOf(inAnchor)).toBe('invalid /nodes/a');
  });

  test('the frontier belongs to its own step', () => {
    expect(refused({ s: frontier('f', 'other') })).toBe('unknown_binding /nodes/s');
    expect(refusalOf(query({ m: frontier('m') }))).toBe('unknown_binding /nodes/m');
    expect(refused({ s: ref('b', 'x') })).toBe('binding_cycle /bindings/b');
  });

  test('columns are matched by name', () => {
    const wide = project('f', { n: 'f.n', k: 'f.n' });
    expect(refused({ f: frontier('f'), s: wide })).toBe('type_mismatch /nodes/s');
    expect(refused({ f: frontier('f'), s: project('f', { k: 'f.n' }) })).toBe(
      'type_mismatch /nodes/s',
    );
    expect(refused({ f: frontier('f'), s: project('f', { n: lit('text', 'x') }) })).toBe(
      'type_mismatch /nodes/s',
    );
  });

  test('a column of rows goes through a step as it is, and may not change its columns', () => {
    const o: Node = { kind: 'order', input: 'x', terms: [{ expr: term('x.n') }] };
    const before = { x: numbers('x', 1), o, y: numbers('y', 2) };
    const one = { kind: 'slice', input: 'o', limit: 1 } as const;
    const a = project('y', { v: crossing('first', 'one') });
    const over = (s: Node, more: Record<string, Node> = {}) =>
      query({ ...before, one, a, ...more, f: frontier('f'), s, m: ref('b', 'm') }, 'exactly_one', {
        b: recursive,
      });
    planOf(over(project('f', { v: 'f.v' })));
    const other = {
      z: numbers('z', 3),
      w: project('z', { k: 'z.n' }, 'w'),
      wo: { kind: 'order', input: 'w', terms: [{ expr: term('w.k') }] } as Node,
      two: { kind: 'slice', input: 'wo', limit: 1 } as Node,
    };
    expect(refusalOf(over(project('f', { v: crossing('first', 'two') }), other))).toBe(
      'type_mismatch /nodes/s',
    );
  });

  test('a step by other positions is put in the order of the anchor', () => {
    const columns = [
      { name: 'x', type: 'int64' },
      { name: 'y', type: 'text' },
    ] as const;
    const a: Node = { kind: 'rows', scope: 'a', columns, rows: [['1', 'k']] };
    const s = project('f', { y: 'f.y', x: op('add', 'f.x', 1) });
    const plan = planOf(
      query({ a, f: frontier('f'), s, m: ref('b', 'm') }, 'exactly_one', { b: recursive }),
    );
    expect(plan.statements[0]).toMatchObject({
      query: { bindings: [{ step: { output: [{ name: 'x' }, { name: 'y' }] } }] },
    });
  });

  test('nullability is a fixpoint', () => {
    const columns = [
      { name: 'x', type: 'int64' },
      { name: 'y', type: 'int64' },
    ] as const;
    const a: Node = { kind: 'rows', scope: 'a', columns, rows: [['1', '1']] };
    const s = project('f', { x: 'f.y', y: lit('int64') });
    const nodes = { a, f: frontier('f'), s, m: ref('b', 'm') };
    const target = query(nodes, 'exactly_one', { b: recursive });
    expect(planOf(target).statements[0]).toMatchObject({
      query: { bindings: [{ output: [{ nullable: true }, { nullable: true }] }] },
    });
  });

  test('every label is still bound once', () => {
    const s = project('f', { n: op('add', 'f.n', lit('int64')) }, 'm');
    expect(refused({ f: frontier('f'), s })).toBe('duplicate_scope /nodes/m');
  });
});

test('the first violation is reported: bindings before the main tree, inputs before expressions', () => {
  const bad = filter('y', op('eq', 'zz.n', 1));
  const nodes = { y: numbers('y', 1), f: bad, m: ref('b', 'm'), g: filter('m', term(1)) };
  expect(refusalOf(query(nodes, 'many', { b: derived('f') }))).toBe(
    'unknown_scope /nodes/f/predicate/left',
  );
  const main = {
    y: numbers('y', 1),
    m: ref('b', 'm'),
    g: filter('m', term(1)),
    u: numbers('u', 1),
  };
  const both = query(main, 'many', {
    b: derived('y'),
    c: derived('u'),
  });
  const root = { node: 'g', cardinality: 'many' } as const;
  expect(refusalOf({ ...both, root })).toBe('type_mismatch /nodes/g/predicate');
});
