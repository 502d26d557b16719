/** Tests of one value against many literals become one look into a set of them. */

import { expect, test } from 'bun:test';
import type { Expression } from '#lir';
import { all, filter, full, op, query, scan, textOf, unary } from '../support.ts';

const posts = scan('post', 'p');

function predicateOf(predicate: Expression, options = full): string | undefined {
  const text = textOf(query({ p: posts, f: filter('p', predicate) }), options);
  return /predicate (.*)/.exec(text)?.[1];
}

const any = (...terms: readonly Expression[]): Expression =>
  terms.reduce((left, right) => op('or', left, right));
const ranks = (...values: readonly number[]) => values.map((value) => op('eq', 'p.rank', value));

test('three equalities of one column, whichever side the literal stands on', () => {
  const tests = any(op('eq', 'p.rank', 4), op('eq', 2, 'p.rank'), op('eq', 'p.rank', 3));
  expect(predicateOf(tests)).toBe('rank one of 4; 2; 3');
  expect(predicateOf(unary('not', tests))).toBe('not (rank one of 4; 2; 3)');
  const without = { ...full, without: ['membership'] as const };
  expect(predicateOf(tests, without)).toBe('(rank = 4) or (2 = rank) or (rank = 3)');
  expect(predicateOf(any(...ranks(4, 2)))).toBe('(rank = 4) or (rank = 2)');
});

test('eight opposites of one column', () => {
  const tests = [1, 2, 3, 4, 5, 6, 7, 8].map((value) => op('ne', 'p.rank', value));
  expect(predicateOf(all(...tests))).toBe('not (rank one of 1; 2; 3; 4; 5; 6; 7; 8)');
  expect(predicateOf(all(...tests.slice(1)))).not.toContain('one of');
});

test('among other tests, in the place of the first one', () => {
  const [one, two, three] = ranks(1, 2, 3) as [Expression, Expression, Expression];
  const other = unary('is_null', 'p.tag');
  expect(predicateOf(any(other, one, other, two, three))).toBe(
    'tag is null or (rank one of 1; 2; 3) or tag is null',
  );
});

test('no test goes before one that can raise', () => {
  const raising = op('gt', op('div', 'p.rank', 'p.seq'), 0);
  const [one, two, three] = ranks(1, 2, 3) as [Expression, Expression, Expression];
  expect(predicateOf(any(one, two, raising, three))).toBe(
    '(rank = 1) or (rank = 2) or ((rank / seq) > 0) or (rank = 3)',
  );
  expect(predicateOf(any(raising, one, two, three))).toBe(
    '((rank / seq) > 0) or (rank one of 1; 2; 3)',
  );
});

test('a value that can raise is made once, before what else can', () => {
  const sum = op('add', 'p.rank', 'p.seq');
  const tests = [1, 2, 3].map((value) => op('eq', sum, value));
  expect(predicateOf(any(...tests))).toBe('(rank + seq) one of 1; 2; 3');
  const plusOne = [1, 2, 3].map((value) => op('eq', op('add', 'p.rank', 1), value));
  // The same plan runs again with another literal in each place.
  expect(predicateOf(any(...plusOne))).not.toContain('one of');
});

test('a long list is told by its beginning', () => {
  const values = Array.from({ length: 40 }, (_, i) => i);
  expect(predicateOf(any(...ranks(...values)))).toEndWith('; 30; 31; and 8 more');
});
