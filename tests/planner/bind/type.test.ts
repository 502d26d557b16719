/** Types of expressions, adoption of literals, static nullability (docs/lir.md §2, §6). */

import { describe, expect, test } from 'bun:test';
import type { Expression, Node } from '#lir';
import {
  crossing,
  detailOf,
  filter,
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
  unary,
} from '../support.ts';

function field(expression: Term) {
  return query({ s: scan('user', 'u'), p: project('s', { v: expression }) });
}

const at = 'type_mismatch /nodes/p/fields/0/expr';
const when = (predicate: Term, then: Term, otherwise: Term): Expression => ({
  kind: 'branch',
  branches: [{ when: term(predicate), then: term(then) }],
  else: term(otherwise),
});
const coalesce = (...args: readonly Term[]): Expression => ({
  kind: 'coalesce',
  args: args.map(term),
});
const cast = (of: Term, to: 'text' | 'int64' | 'float64' | 'bool'): Expression => ({
  kind: 'cast',
  expr: term(of),
  to,
});

describe('what is refused', () => {
  const refused: readonly [string, Term, string][] = [
    ['not of a number', unary('not', 'u.age'), at],
    ['negate of a bool', unary('negate', 'u.active'), at],
    ['text with number', op('eq', 'u.name', 'u.age'), at],
    ['int64 with float64', op('lt', 'u.age', 'u.score'), at],
    ['arithmetic on text', op('add', 'u.name', 'u.name'), at],
    ['connective over numbers', op('and', 'u.active', 'u.age'), `${at}/right`],
    ['cast of text', cast('u.name', 'int64'), at],
    ['cast to text', cast('u.age', 'text'), at],
    ['branch predicate', when('u.age', 1, 2), `${at}/branches/0/when`],
    ['branch without widening', when('u.active', 1, 'u.score'), `${at}/else`],
    ['coalesce without widening', coalesce('u.age', 'u.score'), `${at}/args/1`],
    ['text_match of a number', textMatch('u.age'), at],
    ['text literal beside int64', op('eq', 'u.age', lit('text', '1')), `${at}/right`],
    ['fraction beside int64', op('eq', lit('float64', '1.5'), 'u.age'), `${at}/left`],
    ['point beside int64', op('eq', 'u.age', lit('float64', '1.0')), `${at}/right`],
    [
      'too large beside int64',
      op('eq', 'u.age', lit('int64', '9223372036854775808')),
      `${at}/right`,
    ],
    ['not finite beside float64', op('eq', 'u.score', lit('float64', '1e400')), `${at}/right`],
    ['bool beside text', op('eq', 'u.name', true), `${at}/right`],
    ['two literals of two types', op('eq', 1, lit('float64', '1')), at],
    ['literal out of range', lit('int64', '9223372036854775808'), at],
    ['literal not finite', lit('float64', '1e400'), at],
  ];
  for (const [name, expression, refusal] of refused) {
    test(name, () => expect(refusalOf(field(expression))).toBe(refusal));
  }

  test('bytes that are no base64', () => {
    expect(refusalOf(field(lit('bytes', 'x')))).toBe('schema_violation /nodes/p/fields/0/expr');
  });
});

function textMatch(value: Term): Expression {
  return { kind: 'text_match', value: term(value), parts: [{ kind: 'any_many' }] };
}

describe('details that fixtures look for', () => {
  test.each([
    [cast('u.name', 'int64'), 'cannot cast text to int64'],
    [op('eq', 'u.age', lit('text', 'x')), 'expected a int64 value, got string'],
    [op('eq', 'u.age', lit('float64', '1.5')), 'expected a int64 value, got json.Number'],
    [op('eq', 'u.age', true), 'expected a int64 value, got bool'],
    [op('eq', 'u.score', lit('float64', '1e999')), 'finite float64'],
    [lit('float64', '1e999'), 'finite float64'],
  ] as const)('%#', (expression, fragment) => {
    expect(detailOf(field(expression))).toContain(fragment);
  });

  test('filter and root', () => {
    const f = filter('s', 'u.age');
    expect(detailOf(query({ s: scan('user', 'u'), f }))).toContain(
      'filter predicate must be boolean, got int64',
    );
    expect(detailOf(query({ s: scan('user', 'u') }, 'scalar'))).toContain(
      'a scalar query needs a single-column root',
    );
    expect(detailOf(query({ s: scan('zz', 'u') }))).toContain('unknown table');
    const nodes = { l: numbers('a', 1), r: numbers('b', 1), j: join('l', 'r', true) };
    expect(detailOf(query(nodes))).toContain('duplicate column');
  });
});

describe('literals take the type of what they stand beside', () => {
  const parameterOf = (expression: Term) => planOf(field(expression)).parameters;
  test.each([
    [op('eq', 'u.age', lit('float64', '146')), 146],
    [op('eq', lit('int64', '2'), 'u.score'), 2],
    [op('add', 'u.score', lit('int64', '3')), 3],
    [op('eq', 'u.name', lit('bytes')), null],
    [op('eq', 'u.age', lit('int64', '9223372036854775807')), 9223372036854775807n],
  ] as const)('%#', (expression, value) => {
    expect(parameterOf(expression)).toEqual([value]);
  });
});

describe('rows and arrays', () => {
  const nodes = { s: numbers('a', 1), i: numbers('b', 2) };
  const kept = project('s', { v: crossing('first', 'i') }, 'p');
  const over = (node: Node) => refusalOf(query({ ...nodes, p: kept, x: node }));
  test('are no operands', () => {
    expect(over(filter('p', op('eq', 'p.v', 'p.v')))).toBe('type_mismatch /nodes/x/predicate');
    expect(over(filter('p', op('eq', 'p.v', 1)))).toBe('type_mismatch /nodes/x/predicate/right');
    expect(over(project('p', { w: cast('p.v', 'int64') }))).toBe(
      'type_mismatch /nodes/x/fields/0/expr',
    );
    expect(over({ kind: 'order', input: 'p', terms: [{ expr: term('p.v') }] })).toBe(
      'type_mismatch /nodes/x/terms/0/expr',
    );
    expect(over({ kind: 'aggregate', input: 'p', groups: [{ expr: term('p.v') }] })).toBe(
      'type_mismatch /nodes/x/groups/0/expr',
    );
  });

  test('only a row can be tested for NULL', () => {
    planOf(query({ ...nodes, p: kept, f: filter('p', unary('is_null', 'p.v')) }));
    const ordered: Node = { kind: 'order', input: 'i', terms: [{ expr: term('b.n') }] };
    const list = project('s', { v: unary('is_null', crossing('array', 'o')) });
    expect(refusalOf(query({ ...nodes, o: ordered, p: list }))).toBe(at);
  });
});
