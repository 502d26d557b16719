/** Binds literals. A literal next to another operand adopts the type of that operand; otherwise it has its declared type (docs/lir.md §6.1, adoption). */

import type { Expression, Literal } from '#lir';
import { parseFloat64, parseInt64, parseLiteral, type Scalar, type ScalarType } from '#value';
import type { BoundExpression, BoundLiteral } from './bound.ts';
import type { ExpressionContext } from './expression-context.ts';
import { scalarOf, scalarType } from './types.ts';

type LiteralNode = Extract<Expression, { readonly kind: 'lit' }>;

export function bindLiteral(site: ExpressionContext, literal: LiteralNode): BoundLiteral {
  const { type, value } = literal.value;
  const parsed = parseLiteral(type, value);
  if (parsed.kind === 'problem') throw site.reject(literal, parsed.reason, parsed.detail);
  return literalOf(type, parsed.value, literal.value);
}

/** Converts the literal to the type of `other`. */
export function adoptLiteral(
  site: ExpressionContext,
  literal: LiteralNode,
  other: BoundExpression,
): BoundLiteral {
  const wanted = scalarOf(other);
  if (wanted === undefined) {
    throw site.reject(
      literal,
      'type_mismatch',
      `a literal does not compare with ${other.type.kind}`,
    );
  }
  return adoptedLiteral(site, literal, wanted);
}

/** Converts the literal to `wanted`. The declared type is used only if it is the same. */
export function adoptedLiteral(
  site: ExpressionContext,
  literal: LiteralNode,
  wanted: ScalarType,
): BoundLiteral {
  const { type, value } = literal.value;
  if (value === undefined) return literalOf(wanted, null, literal.value);
  const adopted = adopt(literal, wanted);
  if (adopted !== undefined) return literalOf(wanted, adopted, literal.value);
  if (type === wanted) return bindLiteral(site, literal);
  const finite = wanted === 'float64' && type === 'int64' ? ', which must be a finite float64' : '';
  const bytes =
    wanted === 'bytes' ? '; send the bytes as base64, also for a uuid, ulid or xid' : '';
  const detail = `expected a ${wanted} value, got ${jsonNames[type]}${finite}${bytes}`;
  throw site.reject(literal, 'type_mismatch', detail);
}

function adopt({ value: { type, value } }: LiteralNode, wanted: ScalarType): Scalar | undefined {
  const isNumber = type === 'int64' || type === 'float64';
  if (!isNumber || value === undefined) return undefined;
  if (wanted === 'int64') return parseInt64(value);
  return wanted === 'float64' ? parseFloat64(value) : undefined;
}

export function literalOf(type: ScalarType, value: Scalar, source?: Literal): BoundLiteral {
  const literal = { kind: 'literal', value, type: scalarType(type), nullable: value === null };
  return (source === undefined ? literal : { ...literal, source }) as BoundLiteral;
}

const jsonNames: Readonly<Record<ScalarType, string>> = {
  text: 'string',
  int64: 'json.Number',
  float64: 'json.Number',
  bool: 'bool',
  bytes: 'string',
};
