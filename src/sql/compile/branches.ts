/** CASE, COALESCE, NULLIF, GREATEST and LEAST. */

import type { A_Expr, CaseExpr, CoalesceExpr, MinMaxExpr, Node } from 'libpg-query';
import type { Expression } from '#lir';
import type { SqlType } from '../types/sql-type.ts';
import { binary, canBeNull, hasCrossing, hoisted, isNull, joined, shared } from './build.ts';
import { coerce, settled } from './coerce.ts';
import { commonTypeOf } from './common-type.ts';
import type { Env, Operand, Typed } from './compilation.ts';
import { condition } from './condition.ts';
import { operand } from './expression.ts';
import { comparable } from './operators.ts';

export function caseExpression(env: Env, content: CaseExpr): Typed {
  const { compilation } = env;
  const { arg, args, defresult, location } = content;
  const arms = (args ?? []).map((arm) => ('CaseWhen' in arm ? arm.CaseWhen : {}));
  const subject = arg && settled(compilation, operand(env, arg));
  const tests = subject && arms.map(({ expr }) => operand(env, expr as Node));
  const conditions = tests
    ? []
    : arms.map(({ expr }) => condition(env, expr as Node, 'true', 'CASE/WHEN'));
  const results: Operand[] = arms.map(({ result }) => operand(env, result as Node));
  const otherwise: Operand = defresult
    ? operand(env, defresult)
    : { type: undefined, of: { kind: 'null' }, location };
  // PostgreSQL considers the result of ELSE first.
  const type = scalarType(env, [otherwise, ...results], 'CASE', location);
  const [last, ...typed] = [otherwise, ...results].map((result) =>
    coerce(compilation, result, type, 'implicit'),
  ) as [Typed, ...Typed[]];
  const build = (whens: readonly Expression[]): Expression =>
    hoisted(compilation, {
      kind: 'branch',
      branches: whens.map((when, at) => ({ when, then: (typed[at] as Typed).expr })),
      else: last.expr,
    });
  const nullable = [last, ...typed].some((result) => result.nullable);
  if (subject === undefined || tests === undefined) {
    const plain = build(conditions.map(({ expr }) => expr));
    return { type, expr: plain, nullable: canBeNull(plain, nullable) };
  }
  const expr = shared(compilation, [subject], ([value]) => {
    const left = { ...subject, expr: value as Expression };
    return build(tests.map((right) => equality(env, left, right, location)));
  });
  return { type, expr, nullable: canBeNull(expr, nullable) };
}

function equality(env: Env, left: Operand, right: Operand, location?: number): Expression {
  const [one, other] = comparable(env.compilation, { operator: '=', left, right, location });
  return binary('eq', one.expr, other.expr);
}

/** Returns the common type, which must not be an array, because branches of LIR have scalars only. */
function scalarType(
  env: Env,
  operands: readonly Operand[],
  construct: string,
  location: number | undefined,
): SqlType {
  const type = commonTypeOf(env.compilation, operands, construct, location);
  if (type.element === undefined) return type;
  throw env.compilation.unsupported(`${construct} of arrays`, location);
}

export function coalesceExpression(env: Env, { args, location }: CoalesceExpr): Typed {
  const { compilation } = env;
  const operands = (args ?? []).map((arg) => operand(env, arg));
  const type = scalarType(env, operands, 'COALESCE', location);
  const typed = operands.map((one) => coerce(compilation, one, type, 'implicit'));
  const nullable = typed.every((one) => one.nullable);
  if (typed.length === 1) return { type, expr: (typed[0] as Typed).expr, nullable };
  const expr: Expression = { kind: 'coalesce', args: typed.map((one) => one.expr) };
  const isPlain = !typed.slice(1).some((one) => hasCrossing(one.expr));
  const legal = isPlain ? expr : hoisted(compilation, expr);
  return { type, expr: legal, nullable: canBeNull(legal, nullable) };
}

export function nullIf(env: Env, { lexpr, rexpr, location }: A_Expr): Typed {
  const { compilation } = env;
  const [left, right] = [operand(env, lexpr as Node), operand(env, rexpr as Node)];
  const [one, other] = comparable(compilation, { operator: '=', left, right, location });
  // The result has the type of the first argument, as far as an operator exists for it.
  const isCompared = left.type === undefined || left.type.name === 'varchar';
  const value = settled(compilation, isCompared ? one : left);
  const none: Expression = { kind: 'lit', value: { type: value.type.stored } };
  const expr = shared(compilation, [value], ([kept]) => {
    const tested = one === value || one.expr === value.expr ? (kept as Expression) : one.expr;
    const when = binary('eq', tested, other.expr);
    return hoisted(compilation, {
      kind: 'branch',
      branches: [{ when, then: none }],
      else: kept as Expression,
    });
  });
  return { type: value.type, expr, nullable: true };
}

/** Compiles GREATEST and LEAST, which ignore NULLs. */
export function extremeExpression(env: Env, { op, args, location }: MinMaxExpr): Typed {
  const { compilation } = env;
  const construct = op === 'IS_GREATEST' ? 'GREATEST' : 'LEAST';
  const operands = (args ?? []).map((arg) => operand(env, arg));
  const type = scalarType(env, operands, construct, location);
  const typed = operands.map((one) => coerce(compilation, one, type, 'implicit'));
  const comparison = op === 'IS_GREATEST' ? 'gte' : 'lte';
  const none: Expression = { kind: 'lit', value: { type: type.stored } };
  const expr = shared(compilation, typed, (values) => ({
    kind: 'branch',
    branches: values.map((value, at) => ({
      when: joined('and', [
        ...((typed[at] as Typed).nullable ? [notNull(value)] : []),
        ...values.flatMap((other, index) => {
          if (index === at) return [];
          const wins = binary(comparison, value, other);
          return (typed[index] as Typed).nullable ? [binary('or', isNull(other), wins)] : [wins];
        }),
      ]),
      then: value,
    })),
    else: none,
  }));
  // The expression has an ELSE, so LIR takes it for nullable in any case.
  return { type, expr, nullable: true };
}

function notNull(expr: Expression): Expression {
  return { kind: 'unary', op: 'is_not_null', expr };
}
