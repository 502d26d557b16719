/**
 * Gathers tests of one value against many literals into one test of set membership. `x = 1 or x = 2 or …` becomes a lookup in a set. `x <> 1 and x <> 2 and …`
 * becomes a lookup that must not find a member. Tests are gathered only if that changes neither a result nor an error.
 */

import type { BoundExpression, BoundLiteral, BoundLogical } from '../bind/bound.ts';
import type { CanFailAnalysis } from '../facts/can-fail.ts';

/** Tests of one value, at the position of the first of them. If the value equals one of the literals, an `or` of them is TRUE and an `and` is FALSE. */
interface Gathered {
  readonly kind: 'gathered';
  readonly value: BoundExpression;
  readonly tests: Test[];
}

interface Test {
  readonly whole: Extract<BoundExpression, { kind: 'compare' }>;
  readonly literal: BoundLiteral;
}

/** Minimum number of tests for which a set lookup is faster. The tests of an `and` are cheap, since each one leaves fewer rows (docs/notes/2026-11-22-queries.md). */
const testsMin = { or: 3, and: 8 } as const;

/** Returns the operands of `logical` with tests gathered. An operand that can raise is still evaluated for the same rows. */
export function gathered(
  { op, operands }: BoundLogical,
  failures: CanFailAnalysis,
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
    // Moving a later test before this operand would skip rows for which this operand has to raise.
    if (failures.canRaise(operand)) open.clear();
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

/** Returns the test of a value against a literal, with the name of the value; `undefined` for any other expression. */
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

/** Returns an equal name for expressions that have the same value in every row. Literals have no name, because the plan may run again with other values for them. */
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
    case 'call': {
      const operands = expression.operands.map(nameOf);
      return operands.includes(undefined) ? undefined : `${expression.fn}(${operands.join(',')})`;
    }
    default:
      return undefined;
  }
}
