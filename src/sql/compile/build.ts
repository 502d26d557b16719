/** Builds expressions of LIR. */

import { type Expression, isCrossing, operandsOf } from '#lir';
import type { Compilation, Typed } from './compilation.ts';

type BinaryOp = Extract<Expression, { kind: 'binary' }>['op'];

export function column(scope: string, name: string): Expression {
  return { kind: 'col', scope, column: name };
}

export function binary(op: BinaryOp, left: Expression, right: Expression): Expression {
  return { kind: 'binary', op, left, right };
}

export function not(expr: Expression): Expression {
  return { kind: 'unary', op: 'not', expr };
}

export function isNull(expr: Expression): Expression {
  return { kind: 'unary', op: 'is_null', expr };
}

export function truth(value: boolean): Expression {
  return { kind: 'lit', value: { type: 'bool', value } };
}

/** NULL of type bool. */
export const unknown: Expression = { kind: 'lit', value: { type: 'bool' } };

/** An integer that does not depend on values. */
export function integer(value: number | bigint): Expression {
  return { kind: 'lit', value: { type: 'int64', value: `${value}` } };
}

/** Joins operands by `and` or `or`. The tree is balanced, so that long lists do not nest deeply. */
export function joined(op: 'and' | 'or', operands: readonly Expression[]): Expression {
  const [first] = operands;
  if (first === undefined) return truth(op === 'and');
  if (operands.length === 1) return first;
  const middle = Math.ceil(operands.length / 2);
  return binary(op, joined(op, operands.slice(0, middle)), joined(op, operands.slice(middle)));
}

export function hasCrossing(expr: Expression): boolean {
  return isCrossing(expr) || operandsOf(expr).some(hasCrossing);
}

/**
 * Makes an expression that uses `operand` several times. An operand with a crossing is computed once, because its relation can be part of one
 * expression only.
 */
export function shared(
  compilation: Compilation,
  operands: readonly Typed[],
  build: (operands: readonly Expression[]) => Expression,
): Expression {
  if (!operands.some(({ expr }) => hasCrossing(expr))) return build(operands.map((o) => o.expr));
  return inOneRow(compilation, (compute) =>
    build(operands.map(({ expr }) => (hasCrossing(expr) ? compute(expr) : expr))),
  );
}

/** Moves the crossings of an expression out of it. LIR forbids them in a branch, where they would be evaluated in any case. */
export function hoisted(compilation: Compilation, expr: Expression): Expression {
  if (!hasCrossing(expr)) return expr;
  return inOneRow(compilation, (compute) => replaced(expr, compute));
}

/** Returns whether LIR takes an expression for nullable: an expression that was moved to one row always is. */
export function canBeNull(expr: Expression, nullable: boolean): boolean {
  return nullable || expr.kind === 'scalar';
}

/** Evaluates an expression over one row, whose columns are the expressions that `build` computes first. */
function inOneRow(
  compilation: Compilation,
  build: (compute: (expr: Expression) => Expression) => Expression,
): Expression {
  const fields: { readonly as: string; readonly expr: Expression }[] = [];
  const scope = compilation.name('s');
  const expr = build((part) => {
    const as = `c${fields.length + 1}`;
    fields.push({ as, expr: part });
    return column(scope, as);
  });
  const row = oneRow(compilation);
  const computed = compilation.node({ kind: 'project', input: row, scope, fields });
  const node = compilation.node({
    kind: 'project',
    input: computed,
    fields: [{ as: 'c1', expr }],
  });
  return { kind: 'scalar', node };
}

/** Returns a relation of one row without meaning. */
export function oneRow(compilation: Compilation): string {
  const columns = [{ name: 'c1', type: 'int64' }] as const;
  return compilation.node({ kind: 'rows', scope: compilation.name('s'), columns, rows: [['0']] });
}

function replaced(expr: Expression, compute: (crossing: Expression) => Expression): Expression {
  if (isCrossing(expr)) return compute(expr);
  // Parts without a crossing are not copied, because late parts are recognized by their identity.
  if (!hasCrossing(expr)) return expr;
  const inner = (part: Expression) => replaced(part, compute);
  switch (expr.kind) {
    case 'unary':
    case 'cast':
      return { ...expr, expr: inner(expr.expr) };
    case 'binary':
      return { ...expr, left: inner(expr.left), right: inner(expr.right) };
    case 'branch':
      return {
        ...expr,
        branches: expr.branches.map(({ when, then }) => ({ when: inner(when), then: inner(then) })),
        else: inner(expr.else),
      };
    case 'coalesce':
    case 'call':
      return { ...expr, args: expr.args.map(inner) };
    case 'text_match':
      return { ...expr, value: inner(expr.value) };
    default:
      return expr;
  }
}
