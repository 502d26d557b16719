/** Plan expressions as readable text: columns by name, values of enclosing rows as `outer n`, parameters by value. */

import { unreachable } from '#base';
import type { TextPart } from '#lir';
import { ByteString, type OutputColumn } from '#value';
import type { PlanExpression } from '../plan/expression.ts';
import type { Parameter } from '../plan/program.ts';

export interface Names {
  readonly columns: readonly OutputColumn[];
  readonly parameters: readonly Parameter[];
  /** Literals are rendered as `?`. */
  readonly hidesLiterals?: boolean | undefined;
}

const symbols = {
  eq: '=',
  ne: '<>',
  lt: '<',
  lte: '<=',
  gt: '>',
  gte: '>=',
  add: '+',
  sub: '-',
  mul: '*',
  div: '/',
} as const;

/** Maximum number of members of a literal list that are rendered. */
const membersShown = 32;

export function expressionText(expression: PlanExpression, names: Names): string {
  const text = (part: PlanExpression) => expressionText(part, names);
  switch (expression.kind) {
    case 'parameter':
      return parameterText(expression.index, names);
    case 'column':
      return names.columns[expression.columnIndex]?.name ?? `column ${expression.columnIndex}`;
    case 'register':
      return `outer ${expression.register}`;
    case 'unary':
      return unaryText(expression.op, nested(expression.operand, names));
    case 'compare':
    case 'arithmetic': {
      const sides = [nested(expression.left, names), nested(expression.right, names)];
      return sides.join(` ${symbols[expression.op]} `);
    }
    case 'logical':
      return expression.operands.map((part) => nested(part, names)).join(` ${expression.op} `);
    case 'among':
      return `${nested(expression.operand, names)} one of ${membersText(expression.members, names)}`;
    case 'cast':
      return `cast(${text(expression.operand)} to ${expression.to})`;
    case 'branch': {
      const arms = expression.arms.map(({ when, then }) => `when ${text(when)} then ${text(then)}`);
      return `case ${arms.join(' ')} else ${text(expression.otherwise)} end`;
    }
    case 'coalesce':
      return `coalesce(${expression.operands.map(text).join(', ')})`;
    case 'call':
      return `${expression.fn}(${expression.operands.map(text).join(', ')})`;
    case 'text_match': {
      const word = expression.comparison === 'exact' ? 'matches' : 'matches folded';
      return `${nested(expression.value, names)} ${word} ${patternText(expression.parts, names)}`;
    }
    default:
      return unreachable(expression);
  }
}

function nested(expression: PlanExpression, names: Names): string {
  const text = expressionText(expression, names);
  const isOpen = ['compare', 'arithmetic', 'logical', 'among', 'text_match'].includes(
    expression.kind,
  );
  return isOpen ? `(${text})` : text;
}

function parameterText(index: number, { parameters, hidesLiterals }: Names): string {
  return hidesLiterals === true ? '?' : datumText(parameters[index] ?? null);
}

function membersText(members: readonly number[], names: Names): string {
  const shown = members.slice(0, membersShown);
  const texts = shown.map((index) => parameterText(index, names));
  const more = members.length - shown.length;
  return `${texts.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

function unaryText(op: string, operand: string): string {
  if (op === 'is_null') return `${operand} is null`;
  if (op === 'is_not_null') return `${operand} is not null`;
  return op === 'not' ? `not ${operand}` : `-${operand}`;
}

function patternText(parts: readonly TextPart[], { hidesLiterals }: Names): string {
  const shown = (value: string) => (hidesLiterals === true ? '?' : JSON.stringify(value));
  return parts.map((part) => (part.kind === 'any_many' ? '*' : shown(part.value))).join(' ');
}

function datumText(value: Parameter): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof ByteString) return `bytes ${Buffer.from(value.bytes).toString('base64')}`;
  return Array.isArray(value) ? `${value.length} rows` : String(value);
}
