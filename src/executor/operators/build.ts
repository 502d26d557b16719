/** From plans to operators. Inputs first, without recursion: a plan can be ten thousand nodes deep. */

import { invariant, unreachable } from '#base';
import type { AttachPlan, BindingPlan, QueryPlan, RelationPlan } from '#planner';
import { RowStore } from '../batch/row-store.ts';
import { Site } from '../site.ts';
import { Aggregate } from './aggregate/aggregate.ts';
import { DerivedBinding } from './binding/derived.ts';
import { RecursiveBinding } from './binding/recursive.ts';
import { Concatenate } from './concatenate.ts';
import { Attach } from './crossing/attach.ts';
import { windowedIds } from './crossing/run-together.ts';
import { Distinct } from './distinct.ts';
import { Filter } from './filter.ts';
import { HashJoin } from './join/hash-join.ts';
import { LookupJoin } from './join/lookup-join.ts';
import { LoopJoin } from './join/loop-join.ts';
import type { Materialized, Operator, QueryRun } from './operator.ts';
import { Project } from './project.ts';
import { Rows } from './rows.ts';
import { RangeScan } from './scan/range-scan.ts';
import { scan } from './scan/scan.ts';
import { WindowScan } from './scan/window-scan.ts';
import { SetOperation } from './set.ts';
import { Slice } from './slice.ts';
import { Sort } from './sort/sort.ts';
import { Spool } from './spool.ts';
import { FrontierRows, StoredRows } from './stored-rows.ts';

/** The operators of a query; its bindings are put into the run. Nothing is evaluated yet. */
export function buildQuery(query: QueryPlan, run: QueryRun): Operator {
  for (const binding of query.bindings) run.bindings.set(binding.name, buildBinding(binding, run));
  return buildRelation(query.root, run);
}

function buildBinding(binding: BindingPlan, run: QueryRun): Materialized {
  if (binding.kind === 'derived') {
    const rows = new RowStore(binding.plan.output.map((column) => column.type));
    return new DerivedBinding(rows, buildRelation(binding.plan, run), run);
  }
  const anchor = buildRelation(binding.anchor, run);
  return new RecursiveBinding(binding, [anchor, buildRelation(binding.step, run)], run);
}

/** The relations that a plan node reads directly: inputs left to right, then crossings. */
function inputsOf(plan: RelationPlan): readonly RelationPlan[] {
  switch (plan.kind) {
    case 'scan':
    case 'rows':
    case 'materialized':
    case 'frontier':
      return [];
    case 'filter':
    case 'project':
    case 'spool':
    case 'aggregate':
    case 'sort':
    case 'slice':
    case 'distinct':
      return [plan.input];
    case 'hash_join':
    case 'lookup_join':
    case 'loop_join':
    case 'intersect':
    case 'except':
      return [plan.left, plan.right];
    case 'concatenate':
      return plan.inputs;
    case 'attach':
      return [plan.input, ...plan.crossings.map((crossing) => crossing.plan)];
    default:
      return unreachable(plan);
  }
}

const noInputs: readonly Operator[] = [];

function buildRelation(root: RelationPlan, run: QueryRun): Operator {
  // A read by key is nothing but its scan.
  if (root.kind === 'scan') return construct(root, noInputs, run);
  const open: { readonly plan: RelationPlan; isExpanded: boolean }[] = [
    { plan: root, isExpanded: false },
  ];
  const built: Operator[] = [];
  for (let top = open.at(-1); top !== undefined; top = open.at(-1)) {
    const inputs = inputsOf(top.plan);
    if (!top.isExpanded && inputs.length > 0) {
      top.isExpanded = true;
      if (top.plan.kind === 'attach') noteWindows(top.plan, run);
      for (let i = inputs.length - 1; i >= 0; i--) {
        open.push({ plan: inputs[i] as RelationPlan, isExpanded: false });
      }
      continue;
    }
    open.pop();
    built.push(construct(top.plan, built.splice(built.length - inputs.length), run));
  }
  const [operator] = built;
  invariant(operator !== undefined, 'a plan has an operator');
  return operator;
}

function noteWindows({ crossings }: AttachPlan, run: QueryRun): void {
  for (const id of windowedIds(crossings)) {
    run.windows ??= new Map();
    run.windows.set(id, undefined);
  }
}

function construct(plan: RelationPlan, inputs: readonly Operator[], run: QueryRun): Operator {
  const operator = operatorOf(plan, inputs, run);
  if (run.windows?.has(plan.id) !== true) return operator;
  const window = plan.kind === 'scan' ? new WindowScan(operator, run) : operator;
  run.windows.set(plan.id, window);
  return window;
}

function operatorOf(plan: RelationPlan, inputs: readonly Operator[], run: QueryRun): Operator {
  const site = siteOf(plan, inputs);
  run.sites.push(site);
  const input = inputs[0] as Operator;
  switch (plan.kind) {
    case 'scan':
      return scan(plan, run, site);
    case 'rows':
      return new Rows(plan, run, site);
    case 'filter':
      if (input instanceof RangeScan) input.narrow(plan.predicate);
      return new Filter(plan, input, run, site);
    case 'project':
      return new Project(plan, input, run, site);
    case 'hash_join':
      return new HashJoin(plan, inputs, run, site);
    case 'lookup_join':
      return new LookupJoin(plan, inputs, run, site);
    case 'loop_join':
      return new LoopJoin(plan, inputs, run, site);
    case 'attach':
      return new Attach(plan, inputs, run, site);
    case 'spool':
      return new Spool(plan, input, run, site);
    case 'aggregate':
      return new Aggregate(plan, input, run, site);
    case 'sort':
      return new Sort(plan, input, run, site);
    case 'slice':
      return new Slice(plan, input, site);
    case 'distinct':
      return new Distinct(plan, input, run, site);
    case 'concatenate':
      return new Concatenate(inputs, site);
    case 'intersect':
    case 'except':
      return new SetOperation(plan, inputs, run, site);
    case 'materialized':
      return new StoredRows(plan, run, site);
    case 'frontier':
      return new FrontierRows(plan, run, site);
    default:
      return unreachable(plan);
  }
}

function siteOf(plan: RelationPlan, inputs: readonly Operator[]): Site {
  if (plan.kind !== 'scan') {
    return new Site(plan.kind, plan.id, { inputs: inputs.map((input) => input.site) });
  }
  const { access, table } = plan;
  const index = access.kind === 'index' ? access.index.name : undefined;
  return new Site('scan', plan.id, { table: table.name, index });
}
