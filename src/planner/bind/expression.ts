/** Binds expressions: references, typing and static nullability (docs/lir.md §2, §6). Operands are bound from left to right. */

import { unreachable } from '#base';
import type { Expression } from '#lir';
import { isScalarType } from '#value';
import { bindBinary } from './binary.ts';
import type {
  BoundCast,
  BoundColumnUse,
  BoundExpression,
  BoundTextMatch,
  BoundUnary,
} from './bound.ts';
import { bindBranch } from './branch.ts';
import { bindCall } from './call.ts';
import { bindCoalesce } from './coalesce.ts';
import { quoted } from './context.ts';
import { bindCrossing } from './crossing.ts';
import type { ExpressionContext } from './expression-context.ts';
import { bindLiteral } from './literal.ts';
import { lookUp } from './scope.ts';
import { bool, isNumeric, scalarOf, scalarType } from './types.ts';
import { noColumn, unknownScope } from './wording.ts';

export type ExpressionOf<Kind extends Expression['kind']> = Extract<
  Expression,
  { readonly kind: Kind }
>;

export function bindExpression(site: ExpressionContext, expression: Expression): BoundExpression {
  site.context.enter(expression, site.node);
  const bound = bindKind(site, expression);
  site.context.leave();
  return bound;
}

function bindKind(site: ExpressionContext, expression: Expression): BoundExpression {
  switch (expression.kind) {
    case 'lit':
      return bindLiteral(site, expression);
    case 'col':
      return bindColumn(site, expression);
    case 'claim':
      return bindClaim(site, expression);
    case 'unary':
      return bindUnary(site, expression);
    case 'binary':
      return bindBinary(site, expression);
    case 'cast':
      return bindCast(site, expression);
    case 'branch':
      return bindBranch(site, expression);
    case 'coalesce':
      return bindCoalesce(site, expression);
    case 'call':
      return bindCall(site, expression);
    case 'text_match':
      return bindTextMatch(site, expression);
    case 'exists':
    case 'first':
    case 'scalar':
    case 'array':
      return bindCrossing(site, expression);
    default:
      return unreachable(expression);
  }
}

function bindColumn(site: ExpressionContext, use: ExpressionOf<'col'>): BoundColumnUse {
  const { scope, column: name } = use;
  const { scopes, enclosing } = site;
  const found = lookUp(scopes, enclosing, scope, name);
  switch (found.kind) {
    case 'column': {
      const { id, type, nullable } = found.column;
      return { kind: 'column', id, type, nullable };
    }
    case 'unknown_scope':
      throw site.reject(use, found.kind, unknownScope(scope, scopes, enclosing), scope);
    case 'unknown_column': {
      const detail = noColumn(`scope ${quoted(scope)}`, name, found.known);
      throw site.reject(use, found.kind, detail, scope);
    }
    case 'dependent_join': {
      const detail = `scope ${quoted(scope)} belongs to a sibling: the inputs of an operator cannot refer to each other`;
      throw site.reject(use, found.kind, detail, scope);
    }
    default:
      return unreachable(found);
  }
}

function bindClaim(site: ExpressionContext, use: ExpressionOf<'claim'>): BoundExpression {
  const claim = site.context.around.claim?.(use.name);
  if (claim !== undefined) return claim;
  throw site.reject(use, 'invalid', `the policies declare no claim ${quoted(use.name)}`);
}

function bindUnary(site: ExpressionContext, expression: ExpressionOf<'unary'>): BoundUnary {
  const { op } = expression;
  const operand = bindExpression(site, expression.expr);
  const kind = scalarOf(operand);
  const { type, nullable } = operand;
  switch (op) {
    case 'not':
      if (kind !== 'bool') throw mistyped(site, expression, `not needs a bool, got ${type.kind}`);
      return { kind: 'unary', op, operand, type, nullable };
    case 'negate':
      if (!isNumeric(kind)) {
        throw mistyped(site, expression, `negate needs an int64 or float64, got ${type.kind}`);
      }
      return { kind: 'unary', op, operand, type, nullable };
    case 'is_null':
    case 'is_not_null':
      if (type.kind === 'array') throw mistyped(site, expression, `${op} does not accept an array`);
      return { kind: 'unary', op, operand, type: bool, nullable: false };
    default:
      return unreachable(op);
  }
}

function bindCast(site: ExpressionContext, expression: ExpressionOf<'cast'>): BoundCast {
  const { to } = expression;
  const operand = bindExpression(site, expression.expr);
  const from = scalarOf(operand);
  if (from === undefined || !(from === to || (isNumeric(from) && isNumeric(to)))) {
    throw mistyped(site, expression, `cannot cast ${operand.type.kind} to ${to}`);
  }
  return { kind: 'cast', operand, to, type: scalarType(to), nullable: operand.nullable };
}

function bindTextMatch(
  site: ExpressionContext,
  expression: ExpressionOf<'text_match'>,
): BoundTextMatch {
  const { parts, comparison = 'exact' } = expression;
  const value = bindExpression(site, expression.value);
  if (value.type.kind !== 'text') {
    throw mistyped(site, expression, `text_match needs a text, got ${value.type.kind}`);
  }
  return { kind: 'text_match', value, parts, comparison, type: bool, nullable: value.nullable };
}

export function mistyped(site: ExpressionContext, part: object, detail: string): Error {
  return site.reject(part, 'type_mismatch', detail);
}

/** Binds an expression that must be a scalar, such as an order term. `what` names it in the error. */
export function bindScalar(
  site: ExpressionContext,
  expression: Expression,
  what: string,
): BoundExpression {
  const bound = bindExpression(site, expression);
  if (isScalarType(bound.type)) return bound;
  throw mistyped(site, expression, `${what} must be a scalar, got ${bound.type.kind}`);
}

export function bindPredicate(
  site: ExpressionContext,
  expression: Expression,
  what: string,
): BoundExpression {
  const bound = bindExpression(site, expression);
  if (bound.type.kind === 'bool') return bound;
  throw mistyped(site, expression, `${what} must be boolean, got ${bound.type.kind}`);
}
