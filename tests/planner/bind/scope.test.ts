/** Scopes and visibility (docs/lir.md §4). */

import { expect, test } from 'bun:test';
import {
  crossing,
  failureOf,
  filter,
  join,
  numbers,
  op,
  planOf,
  project,
  query,
  refusalOf,
  scan,
} from '../support.ts';

const one = numbers('a', 1);
const two = numbers('b', 2);

test('a label that nothing binds', () => {
  expect(refusalOf(query({ r: one, f: filter('r', op('eq', 'zz.n', 1)) }))).toBe(
    'unknown_scope /nodes/f/predicate/left',
  );
});

test('a column that the scope does not have', () => {
  expect(refusalOf(query({ r: one, f: filter('r', op('eq', 1, 'a.zz')) }))).toBe(
    'unknown_column /nodes/f/predicate/right',
  );
});

test('a table that does not exist', () => {
  expect(refusalOf(query({ s: scan('nothing', 's') }))).toBe('unknown_table /nodes/s');
});

test('a label is bound once, also when its scope is closed', () => {
  expect(refusalOf(query({ r: one, q: numbers('a', 3), j: join('r', 'q', true) }))).toBe(
    'duplicate_scope /nodes/q',
  );
  expect(refusalOf(query({ r: one, p: project('r', { x: 'a.n' }, 'a') }))).toBe(
    'duplicate_scope /nodes/p',
  );
  const inside = project('r', { x: crossing('exists', 'i') });
  expect(refusalOf(query({ r: one, i: numbers('a', 1), p: inside }))).toBe(
    'duplicate_scope /nodes/i',
  );
});

test('a projection closes the scopes below it and shows its own', () => {
  const p = project('r', { x: 'a.n' }, 'p');
  expect(refusalOf(query({ r: one, p, f: filter('p', op('eq', 'a.n', 1)) }))).toBe(
    'unknown_scope /nodes/f/predicate/left',
  );
  planOf(query({ r: one, p, f: filter('p', op('eq', 'p.x', 1)) }));
});

test('spread reaches only what lies beneath', () => {
  const inner = { kind: 'project', input: 'i', spread: ['a'] } as const;
  const outer = project('r', { x: crossing('exists', 'p') });
  expect(refusalOf(query({ r: one, i: two, p: inner, o: outer }))).toBe('unknown_scope /nodes/p');
});

test('sides of a join are independent', () => {
  const dependent = { l: one, r: two, f: filter('r', op('eq', 'b.n', 'a.n')) };
  expect(refusalOf(query({ ...dependent, j: join('l', 'f', true) }))).toBe(
    'dependent_join /nodes/f/predicate/right',
  );
  expect(refusalOf(query({ ...dependent, j: join('f', 'l', true) }))).toBe(
    'unknown_scope /nodes/f/predicate/right',
  );
});

test('a refused dependence names the scope, in words and where it stands', () => {
  const f = filter('r', op('eq', 'b.n', 'a.n'));
  const failure = failureOf(() => planOf(query({ l: one, r: two, f, j: join('l', 'f', true) })));
  expect(failure.detail).toContain('scope "a" belongs to a sibling');
  expect(failure.location).toMatchObject({ scope: 'a' });
});

test('a crossing on the right may not reach the left side either', () => {
  const inner = filter('i', op('eq', 'c.n', 'a.n'));
  const nodes = { l: one, r: two, i: numbers('c', 1), f: inner };
  const right = filter('r', crossing('exists', 'f'));
  expect(refusalOf(query({ ...nodes, g: right, j: join('l', 'g', true) }))).toBe(
    'dependent_join /nodes/f/predicate/right',
  );
});

test('later inputs of a set operator do not see earlier ones', () => {
  const f = filter('r', op('eq', 'b.n', 'a.n'));
  const u = { kind: 'concatenate', inputs: ['l', 'f'], scope: 'u' } as const;
  expect(refusalOf(query({ l: one, r: two, f, u }))).toBe(
    'dependent_join /nodes/f/predicate/right',
  );
});

test('crossings see enclosing rows at any depth, nobody sees into them', () => {
  const deep = filter('k', op('eq', 'c.n', 'a.n'));
  const middle = filter('m', crossing('exists', 'd'));
  const nodes = { r: one, m: two, k: numbers('c', 3), d: deep, e: middle };
  planOf(query({ ...nodes, p: project('r', { x: crossing('exists', 'e') }) }));
  const outside = project('r', { x: crossing('exists', 'e'), y: 'c.n' });
  expect(refusalOf(query({ ...nodes, p: outside }))).toBe('unknown_scope /nodes/p/fields/1/expr');
});

test('names of output rows are unique where the row is observable', () => {
  expect(refusalOf(query({ l: one, r: two, j: join('l', 'r', true) }))).toBe(
    'projection_collision /nodes/j',
  );
  const u = { kind: 'concatenate', inputs: ['j', 'o'], scope: 'u' } as const;
  const nodes = { l: one, r: two, j: join('l', 'r', true), o: numbers('o', 1) };
  expect(refusalOf(query({ ...nodes, u }))).toBe('projection_collision /nodes/u');
  planOf(query({ l: one, r: two, j: join('l', 'r', true), p: project('j', { x: 'a.n' }) }));
  const both = { kind: 'project', input: 'j', spread: ['a', 'b'] } as const;
  expect(refusalOf(query({ l: one, r: two, j: join('l', 'r', true), p: both }))).toBe(
    'projection_collision /nodes/p',
  );
});
