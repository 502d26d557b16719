/** Moves crossings out of expressions: each crossing becomes a column that is computed before the expression (docs/lir.md §8). */

import { invariant, type Steps } from '#base';
import type { OutputColumn } from '#value';
import type { BoundCrossing, BoundExpression } from '../bind/bound.ts';
import { crossingsIn } from '../facts/tree.ts';
import type { CrossingPlan, RelationPlan } from '../plan/relation.ts';
import { applied } from './applied.ts';
import { CorrelationFrame } from './correlation-frame.ts';
import type { RowSource } from './expression.ts';
import { exactly } from './output.ts';
import type { Planning } from './planning.ts';
import { lowerRelation } from './relation.ts';
import { repeatedCost } from './repeated.ts';
import { type Lowered, type Requirements, requireAll } from './required-columns.ts';
import { materializeWhole } from './spool.ts';

interface Attached {
  readonly lowered: Lowered;
  readonly crossings: RowSource['crossings'];
}

/** Adds a column to `input` for each crossing of `expressions`. Returns `input` itself if there are no crossings. */
export function* attach(
  planning: Planning,
  input: Lowered,
  expressions: readonly BoundExpression[],
  frame: CorrelationFrame | undefined,
): Steps<Attached> {
  const before = planning.between();
  if (before !== undefined) yield before;
  const crossings = [...new Set(expressions.flatMap(crossingsIn))];
  const after = planning.between();
  if (after !== undefined) yield after;
  if (crossings.length === 0) return { lowered: input, crossings: new Map() };
  const { plan, columnIndexes, ordering } = input;
  const plans: LoweredCrossing[] = [];
  const filled = planning.filling;
  for (const [i, crossing] of crossings.entries()) {
    plans.push(yield* lowerCrossing(planning, { crossing, i }, columnIndexes, frame));
  }
  const attached: RelationPlan = {
    kind: 'attach',
    id: planning.nextId(),
    input: plan,
    crossings: plans.map(({ crossing }) => crossing),
    output: [...plan.output, ...plans.map(({ crossing }) => crossing.column)],
    estimatedRows: plan.estimatedRows,
  };
  // A spool inside a nested crossing is filled once, so its cost counts for the outermost crossing.
  const filling = frame === undefined ? planning.filling - filled : 0;
  const runs = plans.map(({ crossing, cost }) => ({ plan: crossing.plan, cost }));
  const repeated = repeatedCost(planning, attached.id, plan.estimatedRows, runs);
  const cost = input.cost + filling + repeated;
  const columnIndexOf = new Map(crossings.map((crossing, i) => [crossing, plan.output.length + i]));
  return { lowered: { plan: attached, columnIndexes, ordering, cost }, crossings: columnIndexOf };
}

interface LoweredCrossing {
  readonly crossing: CrossingPlan;
  readonly cost: number;
}

function* lowerCrossing(
  planning: Planning,
  { crossing, i }: { readonly crossing: BoundCrossing; readonly i: number },
  columnIndexes: Lowered['columnIndexes'],
  around: CorrelationFrame | undefined,
): Steps<LoweredCrossing> {
  const frame = new CorrelationFrame(columnIndexes, around);
  const relation = planning.rewritten(crossing.relation);
  const lowered = yield* lowerRelation(planning, relation, requirementsOfCrossing(crossing, frame));
  const kind = crossing.crossing;
  const whole = kind === 'exists' ? lowered.plan : exactly(planning, lowered, relation.columns);
  const plan = planning.isRepeated(around)
    ? materializeWhole(planning, crossing.relation, whole)
    : whole;
  const column: OutputColumn = {
    name: `${kind} ${i}`,
    type: crossing.type,
    nullable: crossing.nullable,
  };
  invariant(kind !== 'scalar' || plan.output.length === 1, 'a scalar crossing has one column');
  const { isChecked } = crossing;
  const inner = applied(planning, plan, rowsWanted(crossing), frame);
  return {
    crossing: { kind, ...inner, column, ...(isChecked && { isChecked }) },
    cost: lowered.cost,
  };
}

/** Returns the number of inner rows that decide the value of a crossing. */
function rowsWanted({ crossing, isChecked }: BoundCrossing): number {
  if (crossing === 'array') return Infinity;
  return isChecked ? 2 : 1;
}

function requirementsOfCrossing(of: BoundCrossing, frame: CorrelationFrame): Requirements {
  const { crossing, relation, isChecked } = of;
  const all = requireAll(relation.columns, frame);
  if (isChecked) return { ...all, limit: rowsWanted(of), goal: rowsWanted(of) };
  switch (crossing) {
    case 'exists':
      return { ...requireAll([], frame), goal: 1 };
    case 'first':
    case 'scalar':
      return { ...all, ordered: true, limit: 1, goal: 1 };
    case 'array':
      return { ...all, ordered: true };
  }
}
