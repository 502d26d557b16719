/** Calls of functions: the choice of the overload, literals among the arguments, nullability (docs/lir.md §6.9). */

import { describe, expect, test } from 'bun:test';
import type { Expression } from '#lir';
import type { FunctionName } from '#value';
import {
  crossing,
  detailOf,
  lit,
  numbers,
  planOf,
  project,
  query,
  refusalOf,
  scan,
  type Term,
  term,
} from '../support.ts';

const call = (fn: FunctionName, ...args: readonly Term[]): Expression => ({
  kind: 'call',
  fn,
  args: args.map(term),
});
const field = (expression: Term) =>
  query({ s: scan('user', 'u'), p: project('s', { v: expression }) });
const outputOf = (expression: Term) => {
  const { statements } = planOf(field(expression));
  const [statement] = statements;
  return statement !== undefined && 'query' in statement
    ? statement.query.root.output[0]
    : undefined;
};

test('the types of the arguments choose the overload', () => {
  expect(outputOf(call('length', 'u.name'))).toMatchObject({
    type: { kind: 'int64' },
    nullable: false,
  });
  expect(outputOf(call('length', 'u.avatar'))).toMatchObject({
    type: { kind: 'int64' },
    nullable: true,
  });
  expect(outputOf(call('to_text', 'u.age'))).toMatchObject({
    type: { kind: 'text' },
    nullable: true,
  });
});

test('not_null is never nullable', () => {
  expect(outputOf(call('not_null', 'u.age'))).toMatchObject({
    type: { kind: 'int64' },
    nullable: false,
  });
  expect(outputOf(call('to_text', call('not_null', 'u.age')))).toMatchObject({ nullable: false });
});

describe('what is refused', () => {
  const at = 'type_mismatch /nodes/p/fields/0/expr';
  test.each([
    ['another type', call('lower', 'u.age'), at],
    ['too few arguments', call('lower'), at],
    ['too many arguments', call('lower', 'u.name', 'u.name'), at],
    ['a literal of another type', call('lower', lit('int64', '1')), at],
  ] as const)('%s', (_name, expression, refusal) => {
    expect(refusalOf(field(expression))).toBe(refusal);
  });

  test('with the forms of the function', () => {
    expect(detailOf(field(call('length', 'u.age')))).toContain(
      'expected length(text) or length(bytes), got length(int64)',
    );
  });

  test('a row as an argument', () => {
    const nodes = { s: numbers('a', 1), i: numbers('b', 2) };
    const kept = project('s', { v: call('to_text', crossing('first', 'i')) });
    expect(refusalOf(query({ ...nodes, p: kept }))).toBe(at);
  });
});

test('a NULL literal takes the type of the first form', () => {
  expect(planOf(field(call('lower', lit('int64')))).parameters).toEqual([null]);
});
