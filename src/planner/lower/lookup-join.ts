/** Lookup joins: for each left row, the right side is read by key from a table, an index or a spool. */

import type { Steps } from '#base';
import type { AccessChoice } from '../access/choose.ts';
import type { BoundExpression, BoundFilter, BoundRelation } from '../bind/bound.ts';
import { costs } from '../cost/defaults.ts';
import { leastTrusted } from '../cost/estimate.ts';
import { type IdRange, idRangeOf, isWithin } from '../facts/id-range.ts';
import type { LookupJoinPlan } from '../plan/relation.ts';
import { pushFilters } from '../rewrite/push-filter.ts';
import { applied } from './applied.ts';
import { CorrelationFrame } from './correlation-frame.ts';
import { lowerExpression } from './expression.ts';
import type { JoinParts } from './join.ts';
import {
  joinedColumnIndexes,
  joinedOutput,
  joinPart,
  residualShare,
  type Sides,
} from './join-plan.ts';
import type { Planning } from './planning.ts';
import { lowerRelation } from './relation.ts';
import { repeatedCost } from './repeated.ts';
import { type Lowered, requireColumns, rowsOf } from './required-columns.ts';
import { accessFor } from './scan.ts';
import { isMaterializable, spooled } from './spool.ts';

/** Returns whether the right side is a table in which the equalities can be looked up. */
export function canLookUp(planning: Planning, parts: JoinParts): boolean {
  return keyed(planning, parts) !== undefined;
}

/** Plans a lookup join; `undefined` if the right side cannot be read by key. `sides` contains the independent plans of both sides. */
export function* lookupJoin(
  planning: Planning,
  parts: JoinParts,
  sides: Sides,
  around: CorrelationFrame | undefined,
): Steps<Lowered | undefined> {
  const { left } = sides;
  if (!planning.mayTry) return undefined;
  const right = keyed(planning, parts);
  const frame = new CorrelationFrame(left.columnIndexes, around);
  if (right !== undefined) {
    const required = requireColumns(parts.needed, frame);
    const lowered = yield* planning.trial(lowerRelation(planning, right, required));
    return joined(planning, parts, { left, right: lowered }, frame, around);
  }
  if (!planning.isRepeated(around) || isMaterializable(planning, parts.left)) return undefined;
  if (!isMaterializable(planning, parts.right)) return undefined;
  const held = { relation: parts.right, pairs: parts.pairs, goal: Infinity };
  const lowered = spooled(planning, sides.right, held, frame);
  return joined(planning, parts, { left, right: lowered }, frame, around);
}

/** Returns the right side with the equalities as predicates on its table, if a key of the table answers at least one of them. */
function keyed(planning: Planning, { right, pairs, needed }: JoinParts): BoundRelation | undefined {
  const conjuncts = pairs.map(({ conjunct }) => conjunct);
  return keyedBy(planning, right, conjuncts, needed)?.pushed;
}

/** Returns the cost of looking up `right` by equalities with other relations; `undefined` if no key of its table answers any of them. */
export function lookupCost(
  planning: Planning,
  right: BoundRelation,
  conjuncts: readonly BoundExpression[],
  needed: ReadonlySet<number>,
): LookupCost | undefined {
  return keyedBy(planning, right, conjuncts, needed)?.choice;
}

/** The cost of one lookup, and the remote reads that are included in it. */
export type LookupCost = Pick<AccessChoice, 'cost' | 'fetches'>;

function keyedBy(
  planning: Planning,
  right: BoundRelation,
  conjuncts: readonly BoundExpression[],
  needed: ReadonlySet<number>,
): { readonly pushed: BoundRelation; readonly choice: AccessChoice } | undefined {
  if (planning.options.accessPaths === 'scan_only' || !isTable(right)) return undefined;
  if (planning.failures.relationCanRaise(right)) return undefined;
  const pushed = pushFilters(right, conjuncts, planning.facts);
  const filter = filterBelow(pushed);
  if (filter?.input.kind !== 'scan') return undefined;
  const all = filter.predicate;
  const operands = all.kind === 'logical' && all.op === 'and' ? all.operands : [all];
  const choice = accessFor(planning, filter.input, operands, requireColumns(needed, someRow));
  const columns = idRangeOf(filter.input);
  const remaining = new Set(choice.remaining);
  const isByKey = operands.some(
    (operand) => !remaining.has(operand) && readsOutside(operand, columns),
  );
  return isByKey ? { pushed, choice } : undefined;
}

/** A frame for an arbitrary outer row, because a lookup runs once per outer row. */
const someRow = new CorrelationFrame(new Map(), undefined);

/** Returns whether the relation is a scan under filters and projections. */
function isTable(relation: BoundRelation): boolean {
  let at = relation;
  while (at.kind === 'project' || at.kind === 'filter') at = at.input;
  return at.kind === 'scan';
}

function filterBelow(relation: BoundRelation): BoundFilter | undefined {
  let at = relation;
  while (at.kind === 'project') at = at.input;
  return at.kind === 'filter' ? at : undefined;
}

function readsOutside(conjunct: BoundFilter['predicate'], columns: IdRange): boolean {
  if (conjunct.kind !== 'compare') return false;
  const isOutside = (side: BoundFilter['predicate']) =>
    side.kind === 'column' ? !isWithin(side.id, columns) : side.kind !== 'literal';
  return isOutside(conjunct.left) || isOutside(conjunct.right);
}

function joined(
  planning: Planning,
  parts: JoinParts,
  { left, right }: Sides,
  frame: CorrelationFrame,
  around: CorrelationFrame | undefined,
): Lowered {
  const { join, residual } = parts;
  const kept = residualShare(planning, parts);
  const columnIndexes = joinedColumnIndexes(left, right);
  const leftRows = left.plan.estimatedRows;
  const found = leftRows * right.plan.estimatedRows * kept.share;
  const origin = leastTrusted(rowsOf(left.plan).origin, rowsOf(right.plan).origin, kept.origin);
  const estimated = { rows: join === 'left' ? Math.max(found, leftRows) : found, origin };
  const estimate = planning.estimate(joinPart(planning, parts, around), estimated);
  const rows = estimate.estimatedRows;
  const { plan: inner, ...outer } = applied(planning, right.plan, Infinity, frame);
  const plan: LookupJoinPlan = {
    kind: 'lookup_join',
    id: planning.nextId(),
    join,
    left: left.plan,
    right: inner,
    ...outer,
    residual:
      residual &&
      lowerExpression(planning, { columnIndexes, crossings: new Map(), frame: around }, residual),
    output: joinedOutput(join, left.plan, right.plan),
    ...estimate,
    estimatedRows: Math.max(1, rows),
  };
  const { keys, constants } = left.ordering;
  return {
    plan,
    columnIndexes,
    ordering: { keys, constants, totalAfter: undefined },
    cost: left.cost + repeatedCost(planning, plan.id, leftRows, [right]) + rows * costs.row,
  };
}
