/** Crossings (correlated subqueries): relations that are evaluated for the current row and become one datum (docs/lir.md §8). */

import { invariant, type Steps, unreachable } from '#base';
import { type Crossing, type Expression, isCrossing, type LogicalOperator, operandsOf } from '#lir';
import type { DatumType, OutputColumn } from '#value';
import type { BoundCrossing, BoundRelation } from './bound.ts';
import type { CrossingOutcome } from './bound-crossings.ts';
import { duplicateName } from './columns.ts';
import { quoted } from './context.ts';
import type { ExpressionContext } from './expression-context.ts';
import { bindRelation } from './relation.ts';
import { bool } from './types.ts';

/**
 * Binds the relations of the crossings in `expression` step by step. The expression itself is bound afterwards, without a yield. The first violation in
 * document order must be reported, and it may precede a relation that cannot be bound. So the error of a relation is stored until binding the expression
 * reaches that crossing.
 */
export function* bindCrossings(site: ExpressionContext, expression: Expression): Steps<void> {
  const { context, node } = site;
  const wait = context.pauseWithin();
  if (wait !== undefined) yield wait;
  if (!context.crossed.has(node)) return;
  const before = context.depth;
  for (const { crossing, depth } of crossingsReached(expression)) {
    context.depth = before + depth;
    const outcome = yield* bindCrossed(site, crossing);
    context.depth = before;
    context.crossings.set(crossing, outcome);
    if (outcome.kind === 'refused') return;
  }
}

function* bindCrossed(
  { context, scopes, enclosing: around }: ExpressionContext,
  { node }: Crossing,
): Steps<CrossingOutcome> {
  const outer = new Set<number>();
  try {
    const { relation } = yield* bindRelation(context, node, {
      enclosing: { kind: 'row', scopes, read: outer, around },
      frontierRefusal: 'inside a crossing',
    });
    return { kind: 'bound', relation, outer };
  } catch (error) {
    return { kind: 'refused', error };
  }
}

function boundBefore({ context }: ExpressionContext, expression: Crossing) {
  const outcome = context.crossings.get(expression);
  invariant(outcome !== undefined, 'a crossing is bound before its expression');
  if (outcome.kind === 'refused') throw outcome.error;
  return outcome;
}

interface Reached {
  readonly crossing: Crossing;
  /** Nesting depth of the crossing in its expression, counted as binding counts it. */
  readonly depth: number;
}

/**
 * Returns the crossings in the order in which they are bound. The search stops at the first one at a position that does not allow a crossing: in
 * a branch, or after the first value of a coalesce.
 */
function crossingsReached(expression: Expression): readonly Reached[] {
  const reached: Reached[] = [];
  const open: Part[] = [{ part: expression, depth: 1, chain: undefined, isLate: false }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { part, depth } = next;
    if (isCrossing(part) && next.isLate) return reached;
    if (isCrossing(part)) reached.push({ crossing: part, depth });
    const chain = part.kind === 'binary' ? connectives[part.op] : undefined;
    // A chain of one connective counts as one level, however it is nested.
    const below = chain !== undefined && chain === next.chain ? depth : depth + 1;
    const isLate = next.isLate || part.kind === 'branch';
    const operands = operandsOf(part);
    for (let i = operands.length - 1; i >= 0; i--) {
      const isLater = isLate || (part.kind === 'coalesce' && i > 0);
      open.push({ part: operands[i] as Expression, depth: below, chain, isLate: isLater });
    }
  }
  return reached;
}

const connectives: Readonly<Partial<Record<string, LogicalOperator>>> = { and: 'and', or: 'or' };

interface Part {
  readonly part: Expression;
  readonly depth: number;
  /** The connective of which the part is an operand. */
  readonly chain: LogicalOperator | undefined;
  /** Not every row evaluates the part, so it may not contain crossings. */
  readonly isLate: boolean;
}

export function bindCrossing(site: ExpressionContext, expression: Crossing): BoundCrossing {
  if (site.crossingRefusal !== undefined) {
    throw site.reject(expression, 'invalid', site.crossingRefusal);
  }
  const { relation, outer } = boundBefore(site, expression);
  checkRelation(site, expression, relation);
  const type = typeOf(expression, relation);
  const nullable = expression.kind === 'first' || expression.kind === 'scalar';
  const isChecked = hasCheck(expression) && relation.rowsMax > 1;
  const of = { crossing: expression.kind, relation, outer, type, nullable };
  return { kind: 'crossing', ...of, ...(isChecked && { isChecked }) };
}

function checkRelation(
  site: ExpressionContext,
  expression: Crossing,
  relation: BoundRelation,
): void {
  const { kind } = expression;
  if (kind === 'exists') return;
  const repeated = kind === 'scalar' ? undefined : duplicateName(relation.columns);
  if (repeated !== undefined) {
    throw site.reject(
      expression,
      'projection_collision',
      `duplicate column ${quoted(repeated)} in ${kind}`,
    );
  }
  const isProven =
    kind === 'array'
      ? relation.ordered
      : relation.rowsMax <= 1 || (kind === 'first' && relation.ordered) || hasCheck(expression);
  if (!isProven) throw site.reject(expression, 'nondeterministic_order', demands[kind]);
  if (kind === 'scalar' && relation.columns.length !== 1) {
    const detail = `a scalar crossing needs exactly one column, got ${relation.columns.length}`;
    throw site.reject(expression, 'scalar_arity', detail);
  }
}

/** Returns whether the number of rows is checked at run time. */
function hasCheck({ kind, check }: Crossing): boolean {
  return kind === 'scalar' && check === true;
}

const demands = {
  array:
    'an array crossing needs an ordered relation; put an order node at its root, by a key such as the primary key',
  first: 'a first crossing needs an ordered relation, or one of at most one row',
  scalar:
    'a scalar crossing needs a relation of at most one row; limit it to one row, or set `check` to test it at run time',
} as const;

function typeOf({ kind }: Crossing, { columns }: BoundRelation): DatumType {
  switch (kind) {
    case 'exists':
      return bool;
    case 'first':
      return { kind: 'row', columns: membersOf(columns) };
    case 'array':
      return { kind: 'array', columns: membersOf(columns) };
    case 'scalar':
      return columns[0]?.type ?? bool;
    default:
      return unreachable(kind);
  }
}

/** Returns the members of a datum. A member can be NULL even if its column is declared not nullable, because a left join may have padded it. */
function membersOf(columns: BoundRelation['columns']): readonly OutputColumn[] {
  return columns.map(({ name, type }) => ({ name, type, nullable: true }));
}
