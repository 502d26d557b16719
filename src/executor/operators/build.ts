/** Builds operators from plans. Inputs are built first, without recursion: a plan can be ten thousand nodes deep. */

import {
  invariant,
  neverYield,
  runWithoutWaiting,
  type Steps,
  unreachable,
  type YieldPolicy,
} from '#base';
import {
  type BindingPlan,
  expressionsOf,
  plansBelow,
  type QueryPlan,
  type RelationPlan,
} from '#planner';
import { compileAhead } from '../kernels/compile-ahead.ts';
import { OperatorProfile } from '../operator-profile.ts';
import { Aggregate } from './aggregate/aggregate.ts';
import { Attach } from './apply/attach.ts';
import { LookupJoin } from './apply/lookup-join.ts';
import { WindowScan } from './apply/window-scan.ts';
import { DerivedBinding } from './binding/derived.ts';
import { RecursiveBinding } from './binding/recursive.ts';
import { Concatenate } from './concatenate.ts';
import { Distinct } from './distinct.ts';

import { Filter } from './filter.ts';
import { HashJoin } from './join/hash-join.ts';
import { LoopJoin } from './join/loop-join.ts';
import { GroupedMergeJoin } from './join/merge-groups.ts';
import { MergeJoin } from './join/merge-join.ts';
import type { Materialized, Operator, QueryRun } from './operator.ts';
import { Project } from './project.ts';
import { Rows } from './rows.ts';
import { RangeScan } from './scan/range-scan.ts';
import { scan } from './scan/scan.ts';
import { SetOperation } from './set.ts';
import { Slice } from './slice.ts';
import { Sort } from './sort/sort.ts';
import { Spool } from './spool/spool.ts';
import { FrontierRows, StoredRows } from './stored-rows.ts';

/** Maximum number of parts of a query that is built without a yield. */
export const partsAtOnce = 1024;
/** Building an operator takes about as long as processing this many rows. */
const operatorWork = 16;

/** Builds the operators of a query and registers its bindings in the run. Nothing is evaluated yet. */
export function buildQuery(query: QueryPlan, run: QueryRun): Operator {
  if (query.bindings.length === 0) return buildRelation(query.root, run);
  // The query is small, so that nothing has to wait.
  return runWithoutWaiting(buildLargeQuery(query, run, neverYield));
}

/** Like `buildQuery`, with yields between the operators. */
export function* buildLargeQuery(
  query: QueryPlan,
  run: QueryRun,
  pace: Pick<YieldPolicy, 'pause'>,
): Steps<Operator> {
  for (const binding of query.bindings) {
    run.bindings.set(binding.name, yield* buildBinding(binding, run, pace));
  }
  return yield* buildStepByStep(query.root, run, pace);
}

function* buildBinding(
  binding: BindingPlan,
  run: QueryRun,
  pace: Pick<YieldPolicy, 'pause'>,
): Steps<Materialized> {
  if (binding.kind === 'derived') {
    return new DerivedBinding(binding, yield* buildStepByStep(binding.plan, run, pace), run);
  }
  const anchor = yield* buildStepByStep(binding.anchor, run, pace);
  const step = yield* buildStepByStep(binding.step, run, pace);
  return new RecursiveBinding(binding, [anchor, step], run);
}

const noInputs: readonly Operator[] = [];

function buildRelation(root: RelationPlan, run: QueryRun): Operator {
  // A read by key consists of its scan alone.
  if (root.kind === 'scan') return construct(root, noInputs, run);
  const construction = new Construction(root, run);
  while (construction.next() !== undefined) construction.make();
  return construction.whole();
}

function* buildStepByStep(
  root: RelationPlan,
  run: QueryRun,
  pace: Pick<YieldPolicy, 'pause'>,
): Steps<Operator> {
  const construction = new Construction(root, run);
  for (let plan = construction.next(); plan !== undefined; plan = construction.next()) {
    if (run.frame.ahead !== undefined) {
      for (const expression of expressionsOf(plan))
        yield* compileAhead(expression, run.frame, pace);
    }
    construction.make();
    const wait = pace.pause(operatorWork);
    if (wait !== undefined) yield wait;
  }
  return construction.whole();
}

/** Builds the operators of a tree of plans, one after the other. */
class Construction {
  private readonly run: QueryRun;
  private readonly open: { readonly plan: RelationPlan; isExpanded: boolean }[];
  private readonly built: Operator[] = [];

  constructor(root: RelationPlan, run: QueryRun) {
    this.run = run;
    this.open = [{ plan: root, isExpanded: false }];
  }

  /** Returns the plan that `make` builds next, whose inputs are all built; undefined if all are built. */
  next(): RelationPlan | undefined {
    for (let top = this.open.at(-1); top !== undefined; top = this.open.at(-1)) {
      const inputs = plansBelow(top.plan);
      if (top.isExpanded || inputs.length === 0) return top.plan;
      top.isExpanded = true;
      noteWindows(top.plan, this.run);
      for (let i = inputs.length - 1; i >= 0; i--) {
        this.open.push({ plan: inputs[i] as RelationPlan, isExpanded: false });
      }
    }
    return undefined;
  }

  make(): void {
    const { open, built } = this;
    const top = open.pop();
    invariant(top !== undefined, 'there is a plan to be made');
    const inputs = built.splice(built.length - plansBelow(top.plan).length);
    built.push(construct(top.plan, inputs, this.run));
  }

  whole(): Operator {
    const [operator] = this.built;
    invariant(operator !== undefined, 'a plan has an operator');
    return operator;
  }
}

function noteWindows(plan: RelationPlan, run: QueryRun): void {
  const inner = plan.kind === 'attach' ? plan.crossings : plan.kind === 'lookup_join' ? [plan] : [];
  for (const { ahead } of inner) {
    if (ahead === undefined) continue;
    run.windows ??= new Map();
    run.windows.set(ahead.scan, undefined);
    if (ahead.slice !== undefined) run.windows.set(ahead.slice, undefined);
  }
}

function construct(plan: RelationPlan, inputs: readonly Operator[], run: QueryRun): Operator {
  const operator = windowOf(plan, operatorOf(plan, inputs, run), run);
  run.trace?.watch(operator, plan);
  return operator;
}

function windowOf(plan: RelationPlan, operator: Operator, run: QueryRun): Operator {
  if (run.windows?.has(plan.id) !== true) return operator;
  const window = plan.kind === 'scan' ? new WindowScan(plan, operator, run) : operator;
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
      if (input instanceof RangeScan || input instanceof WindowScan) input.narrow(plan.predicate);
      return new Filter(plan, input, run, site);
    case 'project':
      return new Project(plan, input, run, site);
    case 'hash_join':
      return new HashJoin(plan, inputs, run, site);
    case 'merge_join':
      return plan.isUnique
        ? new MergeJoin(plan, inputs, run, site)
        : new GroupedMergeJoin(plan, inputs, run, site);
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
      return new Slice(plan, input, run.frame.parameters, site);
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

function siteOf(plan: RelationPlan, inputs: readonly Operator[]): OperatorProfile {
  if (plan.kind !== 'scan') {
    return new OperatorProfile(plan.kind, plan.id, { inputs: inputs.map((input) => input.site) });
  }
  const { access, table } = plan;
  const index = access.kind === 'index' ? access.index.name : undefined;
  return new OperatorProfile('scan', plan.id, { table: table.name, index });
}
