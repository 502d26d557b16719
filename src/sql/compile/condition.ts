/** Conditions: AND, OR, NOT, tests, lists and quantified comparisons. */

import type { A_Expr, BoolExpr, BooleanTest, Node, NullTest, SubLink } from 'libpg-query';
import type { Expression } from '#lir';
import { sqlTypes } from '../types/registry.ts';
import { binary, canBeNull, isNull, joined, not, shared, truth } from './build.ts';
import { type Env, isTyped, type Operand, type Typed } from './compilation.ts';
import { expressionOf, nullTest, operand } from './expression.ts';
import { likeCondition } from './like.ts';
import { listCondition } from './list-condition.ts';
import { builtinName, itemsOf, opened } from './nodes.ts';
import { binaryOperation, comparable } from './operators.ts';
import { arrayCondition, subqueryCondition } from './quantified.ts';
import { isRow, rowComparison } from './row-comparison.ts';

/**
 * The use of a condition: its value, or only whether it is TRUE, or only whether it is FALSE. A condition that is used as TRUE or FALSE alone
 * needs fewer subqueries, because NULL is then equivalent to the other value.
 */
export type Wanted = 'value' | 'true' | 'false';

export const conditionKinds: ReadonlySet<string> = new Set(['BoolExpr', 'NullTest', 'BooleanTest']);

const conditionOperators: ReadonlySet<string | undefined> = new Set([
  'AEXPR_IN',
  'AEXPR_OP_ANY',
  'AEXPR_OP_ALL',
  'AEXPR_DISTINCT',
  'AEXPR_NOT_DISTINCT',
  'AEXPR_LIKE',
  'AEXPR_ILIKE',
  'AEXPR_BETWEEN',
  'AEXPR_NOT_BETWEEN',
  'AEXPR_BETWEEN_SYM',
  'AEXPR_NOT_BETWEEN_SYM',
]);

/** Compiles the condition of WHERE, HAVING, ON, FILTER or CASE WHEN. */
export function condition(env: Env, node: Node, wanted: Wanted, construct?: string): Typed {
  return env.compilation.nested(() => {
    const [kind, content] = opened(node);
    const key = env.aggregates?.key(node);
    if (key !== undefined) return key;
    if (kind === 'BoolExpr') return logical(env, content, wanted);
    if (kind === 'NullTest') return nullCondition(env, content as NullTest);
    if (kind === 'BooleanTest') return booleanTest(env, content);
    if (kind === 'SubLink' && isQuantified(content)) return subqueryCondition(env, content, wanted);
    if (kind === 'A_Expr' && isConditionOperator(content)) {
      return operatorCondition(env, content, wanted);
    }
    const needed = construct ?? (kind === 'ColumnRef' || wanted !== 'value' ? env.clause : 'AND');
    return expressionOf(env, node, sqlTypes.bool, needed);
  });
}

function isQuantified({ subLinkType }: SubLink): boolean {
  return subLinkType === 'ANY_SUBLINK' || subLinkType === 'ALL_SUBLINK';
}

/** Whether an operator gives a condition that `operand` does not compile itself. */
export function isConditionOperator({ kind, lexpr, rexpr }: A_Expr): boolean {
  return conditionOperators.has(kind) || (kind === 'AEXPR_OP' && isRow(lexpr) && isRow(rexpr));
}

function logical(env: Env, { boolop, args = [] }: BoolExpr, wanted: Wanted): Typed {
  if (boolop === 'NOT_EXPR') {
    const opposite = { value: 'value', true: 'false', false: 'true' } as const;
    const inner = condition(env, args[0] as Node, opposite[wanted], 'NOT');
    return { type: sqlTypes.bool, expr: not(inner.expr), nullable: inner.nullable };
  }
  const op = boolop === 'AND_EXPR' ? 'and' : 'or';
  const parts = args.map((arg) => condition(env, arg, wanted, op.toUpperCase()));
  const nullable = parts.some((part) => part.nullable);
  return {
    type: sqlTypes.bool,
    expr: joined(
      op,
      parts.map((part) => part.expr),
    ),
    nullable,
  };
}

function nullCondition(env: Env, { arg, nulltesttype, location }: NullTest): Typed {
  if (isRow(arg)) throw env.compilation.unsupported('IS NULL of a row', location);
  return nullTest(env, arg as Node, nulltesttype === 'IS_NOT_NULL');
}

function booleanTest(env: Env, { arg, booltesttype }: BooleanTest): Typed {
  const construct = (booltesttype ?? '').replaceAll('_', ' ');
  const tested = expressionOf(env, arg as Node, sqlTypes.bool, construct);
  const always = (value: boolean, whenNull: boolean): Expression => {
    const test = value ? tested.expr : not(tested.expr);
    return tested.nullable ? { kind: 'coalesce', args: [test, truth(whenNull)] } : test;
  };
  const tests: Readonly<Record<string, () => Expression>> = {
    IS_TRUE: () => always(true, false),
    IS_NOT_TRUE: () => always(false, true),
    IS_FALSE: () => always(false, false),
    IS_NOT_FALSE: () => always(true, true),
    IS_UNKNOWN: () => isNull(tested.expr),
    IS_NOT_UNKNOWN: () => ({ kind: 'unary', op: 'is_not_null', expr: tested.expr }),
  };
  const expr = (tests[booltesttype ?? ''] as () => Expression)();
  return { type: sqlTypes.bool, expr, nullable: false };
}

function operatorCondition(env: Env, content: A_Expr, wanted: Wanted): Typed {
  const { kind, name, lexpr, rexpr, location } = content;
  const operator = builtinName(name) ?? '';
  switch (kind) {
    case 'AEXPR_OP': {
      const compared = { operator, left: lexpr as Node, right: rexpr as Node, location };
      return rowComparison(env, compared);
    }
    case 'AEXPR_IN':
      return listCondition(env, content, wanted);
    case 'AEXPR_OP_ANY':
    case 'AEXPR_OP_ALL':
      return arrayCondition(env, content, wanted);
    case 'AEXPR_LIKE':
    case 'AEXPR_ILIKE':
      return likeCondition(env, content);
    case 'AEXPR_DISTINCT':
    case 'AEXPR_NOT_DISTINCT':
      return distinctness(env, content);
    default:
      return between(env, content);
  }
}

/** Compiles IS [NOT] DISTINCT FROM, which is never NULL. */
function distinctness(env: Env, { kind, lexpr, rexpr, location }: A_Expr): Typed {
  const { compilation } = env;
  if (isRow(lexpr) || isRow(rexpr)) {
    throw compilation.unsupported('IS DISTINCT FROM of rows', location);
  }
  const [left, right] = [operand(env, lexpr as Node), operand(env, rexpr as Node)];
  const isSame = kind === 'AEXPR_NOT_DISTINCT';
  const compared = comparable(compilation, { operator: '=', left, right, location });
  const expr = shared(compilation, compared, ([one, other]) => {
    const [a, b] = [one as Expression, other as Expression];
    const equal: Expression = { kind: 'coalesce', args: [binary('eq', a, b), truth(false)] };
    const same = binary('or', binary('and', isNull(a), isNull(b)), equal);
    const isPlain = !compared[0].nullable && !compared[1].nullable;
    if (isPlain) return binary(isSame ? 'eq' : 'ne', a, b);
    return isSame ? same : not(same);
  });
  return { type: sqlTypes.bool, expr, nullable: canBeNull(expr, false) };
}

function between(env: Env, { kind, lexpr, rexpr, location }: A_Expr): Typed {
  const { compilation } = env;
  const value = operand(env, lexpr as Node);
  const bounds = itemsOf(rexpr).map((node) => operand(env, node)) as [Operand, Operand];
  const compare = (operator: string, left: Operand, bound: Operand): Typed =>
    binaryOperation(compilation, { operator, left, right: bound, location });
  const within = (left: Operand, [low, high]: readonly [Operand, Operand]): Typed => {
    const [one, other] = [compare('>=', left, low), compare('<=', left, high)];
    const nullable = one.nullable || other.nullable;
    return { type: sqlTypes.bool, expr: binary('and', one.expr, other.expr), nullable };
  };
  const isSymmetric = kind === 'AEXPR_BETWEEN_SYM' || kind === 'AEXPR_NOT_BETWEEN_SYM';
  const isNegated = kind === 'AEXPR_NOT_BETWEEN' || kind === 'AEXPR_NOT_BETWEEN_SYM';
  const operands = [value, ...bounds].filter(isTyped);
  let nullable = false;
  const expr = shared(compilation, operands, (values) => {
    const replace = (one: Operand): Operand => {
      const at = operands.indexOf(one as Typed);
      return at < 0 ? one : { ...(one as Typed), expr: values[at] as Expression };
    };
    const [tested, low, high] = [replace(value), replace(bounds[0]), replace(bounds[1])];
    const inOrder = within(tested, [low, high]);
    nullable = inOrder.nullable;
    if (!isSymmetric) return inOrder.expr;
    return binary('or', inOrder.expr, within(tested, [high, low]).expr);
  });
  const tested = isNegated ? not(expr) : expr;
  return { type: sqlTypes.bool, expr: tested, nullable: canBeNull(expr, nullable) };
}
