/** Expressions of plans as people read them, one of each kind. */

import { expect, test } from 'bun:test';
import { ByteString } from '#value';
import { expressionText } from '../../../src/planner/explain/expression-text.ts';

const parameters = [1n, 'a"b', null, true, new ByteString(Uint8Array.of(1, 2)), [[1], [2]]];
const names = { columns: [{ name: 'x' }, { name: 'y' }], parameters } as never;

const column = (columnIndex: number) => ({ kind: 'column', columnIndex });
const literal = (index: number) => ({ kind: 'parameter', index });
const compare = (op: string, left: object, right: object) => ({ kind: 'compare', op, left, right });
const sum = { kind: 'arithmetic', op: 'add', left: column(0), right: literal(0) };
const both = { kind: 'logical', op: 'and', operands: [column(0), column(1), literal(3)] };
const parts = [{ kind: 'any_many' }, { kind: 'literal', value: 'z' }];

const cases: readonly (readonly [object, string])[] = [
  [column(1), 'y'],
  [column(2), 'column 2'],
  [literal(0), '1'],
  [literal(1), '"a\\"b"'],
  [literal(2), 'null'],
  [literal(4), 'bytes AQI='],
  [literal(5), '2 rows'],
  [{ kind: 'register', register: 3 }, 'outer 3'],
  [{ kind: 'unary', op: 'is_null', operand: sum }, '(x + 1) is null'],
  [{ kind: 'unary', op: 'is_not_null', operand: column(0) }, 'x is not null'],
  [{ kind: 'unary', op: 'not', operand: column(0) }, 'not x'],
  [{ kind: 'unary', op: 'neg', operand: column(0) }, '-x'],
  [compare('lte', sum, column(1)), '(x + 1) <= y'],
  [compare('ne', column(0), column(1)), 'x <> y'],
  [both, 'x and y and true'],
  [compare('eq', both, literal(3)), '(x and y and true) = true'],
  [{ kind: 'among', operand: column(0), members: [0, 2] }, 'x one of 1; null'],
  [{ kind: 'cast', operand: sum, to: 'text' }, 'cast(x + 1 to text)'],
  [
    { kind: 'branch', arms: [{ when: both, then: sum }], otherwise: column(1) },
    'case when x and y and true then x + 1 else y end',
  ],
  [{ kind: 'coalesce', operands: [sum, column(1)] }, 'coalesce(x + 1, y)'],
  [{ kind: 'text_match', value: column(0), comparison: 'exact', parts }, 'x matches * "z"'],
  [{ kind: 'text_match', value: sum, comparison: 'folded', parts }, '(x + 1) matches folded * "z"'],
];

test.each(cases.map(([expression, text]) => [text, expression] as const))(
  '%s',
  (text, expression) => {
    expect(expressionText(expression as never, names)).toBe(text);
  },
);

test('literals can be hidden', () => {
  const hidden = { ...(names as object), hidesLiterals: true } as never;
  const match = { kind: 'text_match', value: literal(0), comparison: 'exact', parts };
  expect(expressionText(match as never, hidden)).toBe('? matches * ?');
});

test('of many members 32 are shown', () => {
  const textOf = (count: number) => {
    const members = new Array<number>(count).fill(0);
    return expressionText({ kind: 'among', operand: column(0), members } as never, names);
  };
  expect(textOf(32)).toBe(`x one of ${new Array(32).fill('1').join('; ')}`);
  expect(textOf(40)).toBe(`${textOf(32)}; and 8 more`);
});
