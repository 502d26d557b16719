/** Plans a bound query: its bindings, in the form that the executor uses, and its root. */

import type { Steps } from '#base';
import type { BoundBinding, BoundQuery, BoundRelation } from '../bind/bound.ts';
import { outputOf } from '../bind/columns.ts';
import { exactly } from '../lower/output.ts';
import { Planning, type Setting } from '../lower/planning.ts';
import { lowerRelation } from '../lower/relation.ts';
import { type Requirements, requireAll } from '../lower/required-columns.ts';
import type { QueryPlan } from '../plan/program.ts';
import type { BindingPlan, RelationPlan } from '../plan/relation.ts';

/** The use of the root: whether its order is visible, and the maximum number of rows that are taken. */
export interface RootUse {
  readonly ordered: boolean;
  readonly limit: number | undefined;
}

export function* planBoundQuery(
  query: BoundQuery,
  use: RootUse,
  setting: Setting,
): Steps<QueryPlan> {
  const wait = setting.pace.pause(Infinity);
  if (wait !== undefined) yield wait;
  const planning = new Planning(query, setting);
  const bindings: BindingPlan[] = [];
  for (const binding of query.bindings) bindings.push(yield* planBinding(planning, binding));
  const { ordered, limit } = use;
  const goal = limit ?? Infinity;
  const root = yield* planBody(planning, query.root, query.root.columns, { ordered, limit, goal });
  const { registerCount } = planning;
  const { parts } = query;
  // The output of the plan is used, because a column that is declared not nullable can be NULL above a left join.
  return { bindings, root, registerCount, parts, output: root.output };
}

function* planBinding(planning: Planning, binding: BoundBinding): Steps<BindingPlan> {
  const { kind, name } = binding;
  if (kind === 'derived') {
    const { relation } = binding;
    return { kind, name, plan: yield* planBody(planning, relation, relation.columns) };
  }
  const { anchor, step, stepPositions, accumulation, columns } = binding;
  const inAnchorOrder = stepPositions.map((i) => step.columns[i] as (typeof step.columns)[number]);
  const anchorPlan = yield* planBody(planning, anchor, anchor.columns);
  planning.isStep = true;
  const stepPlan = yield* planBody(planning, step, inAnchorOrder);
  planning.isStep = false;
  const output = outputOf(columns);
  return { kind, name, anchor: anchorPlan, step: stepPlan, accumulation, output };
}

/** Returns a plan whose rows are exactly `columns`. Without `use`, the rows are a bag. */
function* planBody(
  planning: Planning,
  relation: BoundRelation,
  columns: BoundRelation['columns'],
  use: Partial<Requirements> & Partial<RootUse> = {},
): Steps<RelationPlan> {
  const required = { ...requireAll(columns, undefined), ...use };
  const rewritten = planning.rewritten(relation);
  const wait = planning.between();
  if (wait !== undefined) yield wait;
  const lowered = yield* lowerRelation(planning, rewritten, required);
  const plan = exactly(planning, lowered, columns);
  return use.limit === undefined ? plan : limited(planning, plan, relation, use.limit);
}

function limited(
  planning: Planning,
  plan: RelationPlan,
  { rowsMax }: BoundRelation,
  limit: number,
): RelationPlan {
  if (rowsMax <= limit) return plan;
  const estimatedRows = Math.min(limit, plan.estimatedRows);
  const { output } = plan;
  const id = planning.nextId();
  return { kind: 'slice', id, input: plan, offset: 0, limit, output, estimatedRows };
}
