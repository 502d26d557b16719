/** Binds `call`: the choice of the overload, and the literals among the arguments (docs/lir.md §6.9). */

import { type ArgumentKind, argumentType, functions, overloadFor, signaturesOf } from '#value';
import type { BoundCall, BoundExpression } from './bound.ts';
import { bindExpression, type ExpressionOf, mistyped } from './expression.ts';
import type { ExpressionContext } from './expression-context.ts';
import { adoptedLiteral } from './literal.ts';
import { scalarOf, scalarType } from './types.ts';

/** Binds a call. Literals are bound last, because they adopt the types of the overload. */
export function bindCall(site: ExpressionContext, expression: ExpressionOf<'call'>): BoundCall {
  const { fn, args } = expression;
  const bound = args.map((arg) => (arg.kind === 'lit' ? undefined : bindExpression(site, arg)));
  const kinds = args.map((arg, at) => kindOf(arg, bound[at]));
  const at = overloadFor(fn, kinds);
  const overload = functions[fn].overloads[at];
  if (overload === undefined) {
    const given = kinds.map(({ type }, i) => type ?? bound[i]?.type.kind).join(', ');
    throw mistyped(site, expression, `expected ${signaturesOf(fn)}, got ${fn}(${given})`);
  }
  const operands = args.map((arg, i) =>
    arg.kind === 'lit'
      ? adoptedLiteral(site, arg, argumentType(overload, i))
      : (bound[i] as BoundExpression),
  );
  const isRefusing = functions[fn].nulls === 'refuse';
  const nullable = !isRefusing && operands.some((operand) => operand.nullable);
  return { kind: 'call', fn, overload: at, operands, type: scalarType(overload.result), nullable };
}

function kindOf(
  arg: ExpressionOf<'call'>['args'][number],
  bound: BoundExpression | undefined,
): ArgumentKind {
  if (arg.kind !== 'lit') return { type: bound && scalarOf(bound), adopts: 'nothing' };
  const { type, value } = arg.value;
  if (value === undefined) return { type, adopts: 'everything' };
  return { type, adopts: type === 'int64' || type === 'float64' ? 'numbers' : 'nothing' };
}
