/** Comparisons of rows, such as `(a, b) < (1, 2)`. */

import type { Node } from 'libpg-query';
import type { Expression } from '#lir';
import { sqlTypes } from '../types/registry.ts';
import { binary, hasCrossing, joined } from './build.ts';
import { type Compilation, type Env, isTyped, type Operand, type Typed } from './compilation.ts';
import { operand } from './expression.ts';
import { binaryOperation } from './operators.ts';

export function isRow(node: Node | undefined): boolean {
  return node !== undefined && 'RowExpr' in node;
}

/** Returns the values of a row. Any other value is a row of one value. */
export function rowOperands(env: Env, node: Node): readonly Operand[] {
  if (!('RowExpr' in node)) return [operand(env, node)];
  return (node.RowExpr.args ?? []).map((arg) => operand(env, arg));
}

interface RowComparison<Row> {
  readonly operator: string;
  readonly left: Row;
  readonly right: Row;
  readonly location: number | undefined;
}

export function rowComparison(env: Env, { left, right, ...of }: RowComparison<Node>): Typed {
  return compareRows(env.compilation, {
    ...of,
    left: rowOperands(env, left),
    right: rowOperands(env, right),
  });
}

/** Compares two rows. The result is NULL where PostgreSQL's is: if NULLs decide it. */
export function compareRows(
  compilation: Compilation,
  { operator, left, right, location }: RowComparison<readonly Operand[]>,
): Typed {
  if (left.length !== right.length) {
    throw compilation.error('42601', 'unequal number of entries in row expressions', location);
  }
  const compare = (name: string, at: number): Typed =>
    binaryOperation(compilation, {
      operator: name,
      left: left[at] as Operand,
      right: right[at] as Operand,
      location,
    });
  const pairs = left.map((_, at) => at);
  const nullable = pairs.some((at) => compare('=', at).nullable);
  const of = (expr: Expression): Typed => ({ type: sqlTypes.bool, expr, nullable });
  if (operator === '=' || operator === '<>') {
    const parts = pairs.map((at) => compare(operator, at).expr);
    return of(joined(operator === '=' ? 'and' : 'or', parts));
  }
  if (!['<', '<=', '>', '>='].includes(operator)) {
    throw compilation.unsupported(`operator ${operator} of rows`, location);
  }
  if ([...left, ...right].some((one) => isTyped(one) && hasCrossing(one.expr))) {
    throw compilation.unsupported(`operator ${operator} of rows with subqueries`, location);
  }
  const last = compare(operator, left.length - 1).expr;
  return of(
    pairs.slice(0, -1).reduceRight<Expression>((rest, at) => {
      const isBefore = compare(operator[0] as string, at).expr;
      return binary('or', isBefore, binary('and', compare('=', at).expr, rest));
    }, last),
  );
}
