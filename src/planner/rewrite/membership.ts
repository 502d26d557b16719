/**
 * `x = 1 or x = 2 or …` is one look into a set, and `x <> 1 and x <> 2 and …` is one that finds nothing: tests of one value against many literals are
 * gathered, where that changes neither an answer nor an error.
 */

import type { BoundExpression, BoundLiteral, BoundLogical } from '../bind/bound.ts';
import type { Hazards } from '../facts/hazards.ts';

/** Tests of one value, in place of the first of them. TRUE of `or`, or FALSE of `and`, for a value that equals one of the literals. */
interface Gathered {
  readonly kind: 'gathered';
  readonly value: BoundExpression;
  readonly tests: Test[];
}

interface Test {
  readonly whole: Extract<BoundExpression, { kind: 'compare' }>;
  readonly literal: BoundLiteral;
}

/** From so many on a look into a set takes less than the tests do: those of an `and` are quick, as each leaves fewer rows (docs/notes/2026-11-22-queries.md). */
const testsMin = { or: 3, and: 8 } as const;

/** The operands of `logical`, in an order that evaluates what can raise for the same rows. */
export function gathered(
  { op, operands }: BoundLogical,
  hazards: Hazards,
): readonly (BoundExpression | Gathered)[] {
  if (operands.length < testsMin[op]) return operands;
  const parts: (BoundExpression | Gathered)[] = [];
  const open = new Map<string, Gathered>();
  for (const operand of operands) {
    const found = testOf(operand, op === 'or' ? 'eq' : 'ne');
    const known = found && open.get(found.name);
    if (known !== undefined) {
      known.tests.push(found as NonNullable<typeof found>);
      continue;
    }
    // A later test that came before this one would decide rows for which this one has to raise.
    if (hazards.canRaise(operand)) open.clear();
    if (found === undefined) {
      parts.push(operand);
    } else {
      const group: Gathered = { kind: 'gathered', value: found.value, tests: [found] };
      open.set(found.name, group);
      parts.push(group);
    }
  }
  return parts.flatMap((part): readonly (BoundExpression | Gathered)[] => {
    if (part.kind !== 'gathered' || part.tests.length >= testsMin[op]) return [part];
    return part.tests.map(({ whole }) => whole);
  });
}

/** A value against a literal, with the name of the value. */
function testOf(
  whole: BoundExpression,
  op: 'eq' | 'ne',
): (Test & { readonly value: BoundExpression; readonly name: string }) | undefined {
  if (whole.kind !== 'compare' || whole.op !== op) return undefined;
  const { left, right } = whole;
  const [value, literal] = right.kind === 'literal' ? [left, right] : [right, left];
  if (literal.kind !== 'literal') return undefined;
  const name = nameOf(value);
  return name === undefined ? undefined : { whole, value, literal, name };
}

/** The same for expressions that have the same value in every row. Literals have none: a plan is run again with others in their places. */
function nameOf(expression: BoundExpression): string | undefined {
  switch (expression.kind) {
    case 'column':
      return String(expression.id);
    case 'unary':
    case 'cast': {
      const operand = nameOf(expression.operand);
      const what = expression.kind === 'cast' ? expression.to : expression.op;
      return operand === undefined ? undefined : `${what}(${operand})`;
    }
    case 'arithmetic': {
      const [left, right] = [nameOf(expression.left), nameOf(expression.right)];
      if (left === undefined || right === undefined) return undefined;
      return `${expression.op}(${left},${right})`;
    }
    default:
      return undefined;
  }
}
