/** The state of planning one statement: options, facts of its tree, and the counters of ids, registers and parameters. */

import type { Pending, Steps, YieldPolicy } from '#base';
import type { PolicyClaim } from '#catalog';
import type { SliceNode, TextPart } from '#lir';
import type { Seen } from '#statistics';
import type { Row } from '#value';
import type {
  BoundLiteral,
  BoundQuery,
  BoundRelation,
  BoundRows,
  BoundSlice,
} from '../bind/bound.ts';
import type { Fetches } from '../cost/cold-reads.ts';
import { leastTrusted, type RowEstimate } from '../cost/estimate.ts';
import type { TableRows } from '../cost/table-rows.ts';
import { CanFailAnalysis } from '../facts/can-fail.ts';
import { Dependences } from '../facts/dependence.ts';
import { neverNullColumns } from '../facts/never-null.ts';
import type { ClaimParameter, Parameter, ParameterSource } from '../plan/program.ts';
import type { RelationPlan } from '../plan/relation.ts';
import type { RowCount } from '../plan/row-count.ts';
import type { RewriteFacts } from '../rewrite/conjuncts.ts';
import { pushFilters } from '../rewrite/push-filter.ts';
import { RewriteBudget } from '../rewrite/rewrite-budget.ts';
import type { CorrelationFrame } from './correlation-frame.ts';
import type { Lowered } from './required-columns.ts';

export interface PlanOptions {
  /** `scan_only`: every table is read as a whole. */
  readonly accessPaths: 'all' | 'scan_only';
  /** `nested`: crossings run for each row, without spools and key lookups. */
  readonly crossings: 'spooled' | 'nested';
  /** `whole`: top-k sorts read all of their input, whatever its order, so a partly ordered path has no advantage. The default is `eager`. */
  readonly topSorts?: 'eager' | 'whole';
  /** Techniques that plans must not use; absent if all are allowed. */
  readonly without?: readonly Technique[];
}

/**
 * Techniques that tests can disable, to verify that they change no result.
 * `index_only`: rows are read from an index alone if it holds all needed columns.
 * `key_lists`: a column that equals one of several values is looked up by key for each value.
 * `late_tests`: filters by crossings are tested above a join that leaves fewer rows.
 * `membership`: a value that is compared with many literals is searched in a set of them.
 * `join_order`: inner joins are planned in a better order.
 * `merge_join`: sides that are sorted by their keys are merged.
 * `outer_to_inner`: a left join whose padded rows are dropped above becomes an inner join.
 * `rows_ahead`: crossings read by index for several enclosing rows in one read.
 * `semi_join`: filters by `exists` and `not exists` become joins.
 * `redundant_distinct`: a distinct is omitted if its rows already differ by a key.
 * `zones`: scans skip blocks that cannot contain a matching row.
 */
type Technique =
  | 'index_only'
  | 'key_lists'
  | 'late_tests'
  | 'membership'
  | 'join_order'
  | 'merge_join'
  | 'outer_to_inner'
  | 'rows_ahead'
  | 'semi_join'
  | 'redundant_distinct'
  | 'zones';

export type Estimate = Pick<RelationPlan, 'estimatedRows' | 'estimatedFrom' | 'part'>;

type CountSource = Extract<ParameterSource, { kind: 'count' }>;

/**
 * Smallest limit that is a parameter of a plan. Smaller limits are fixed in the plan: 0 is planned without its input, 1 proves at most one row, and
 * `exactly_one` checks at most two rows. No other limit changes the result of a plan.
 */
const limitMin = 3;

/** Returns the class of a limit, which contains all limits with the same number of digits. Using the plan of another limit is thus off by at most a factor of ten. */
function limitClass(limit: number): { readonly from: number; readonly to: number } {
  const from = powerBelow(limit);
  return { from: Math.max(limitMin, from), to: 10 * from - 1 };
}

/** Offsets below this value, which are the first pages, form one class. */
const firstOffsets = 100;

function offsetClass(offset: number): { readonly from: number; readonly to: number } {
  if (offset < firstOffsets) return { from: 0, to: firstOffsets - 1 };
  const from = powerBelow(offset);
  return { from, to: 10 * from - 1 };
}

/** Returns the largest power of ten that is not above `count`, and at least 1. */
function powerBelow(count: number): number {
  let power = 1;
  while (power * 10 <= count) power *= 10;
  return power;
}

/** The parameters of a program, shared by its statements. */
export class Parameters {
  readonly values: Parameter[] = [];
  /** The source of each value in the document; `undefined` for a value that the planner made. */
  readonly sources: (ParameterSource | undefined)[] = [];
  readonly claims: ClaimParameter[] = [];
  private readonly known = new Map<BoundLiteral | readonly Row[] | TextPart, number>();
  private readonly counts = new Map<SliceNode, { offset?: RowCount; limit?: RowCount }>();

  add(value: Parameter, source?: ParameterSource): number {
    this.sources.push(source);
    return this.values.push(value) - 1;
  }

  ofLiteral(literal: BoundLiteral): number {
    const { source, type, value, claim } = literal;
    if (claim !== undefined) return this.ofClaim(literal, claim);
    const from = source && ({ kind: 'literal', literal: source, type: type.kind } as const);
    return this.indexOf(literal, value, from as ParameterSource | undefined);
  }

  private ofClaim(literal: BoundLiteral, claim: PolicyClaim): number {
    const known = this.known.get(literal);
    if (known !== undefined) return known;
    const index = this.indexOf(literal, null, undefined);
    this.claims.push({ index, claim });
    return index;
  }

  ofRows({ rows, source }: BoundRows): number {
    return this.indexOf(rows, rows, { kind: 'rows', node: source });
  }

  /** Returns the index of a literal part of a pattern. */
  ofTextPart(part: Extract<TextPart, { kind: 'literal' }>): number {
    return this.indexOf(part, part.value, { kind: 'text_part', part });
  }

  ofOffset({ offset, source, isOffsetFree }: BoundSlice): RowCount {
    if (!isOffsetFree) return offset;
    return this.ofCount({ node: source, member: 'offset', ...offsetClass(offset) }, offset);
  }

  ofLimit({ limit, source }: BoundSlice): RowCount | undefined {
    if (limit === undefined || limit < limitMin) return limit;
    return this.ofCount({ node: source, member: 'limit', ...limitClass(limit) }, limit);
  }

  private ofCount(of: Omit<CountSource, 'kind'>, value: number): RowCount {
    const known = this.counts.get(of.node)?.[of.member];
    if (known !== undefined) return known;
    const index = this.add(value, { kind: 'count', ...of });
    const count: RowCount = { kind: 'parameter', index, value };
    this.counts.set(of.node, { ...this.counts.get(of.node), [of.member]: count });
    return count;
  }

  /** Returns the same index for the same source, however often it is planned. */
  private indexOf(
    bound: BoundLiteral | readonly Row[] | TextPart,
    value: Parameter,
    source: ParameterSource | undefined,
  ): number {
    let index = this.known.get(bound);
    if (index === undefined) {
      index = this.add(value, source);
      this.known.set(bound, index);
    }
    return index;
  }
}

/** The inputs that all statements of a program are planned with. */
export interface Setting {
  readonly options: PlanOptions;
  readonly parameters: Parameters;
  readonly counts: TableRows;
  /** Row counts of parts of the query, as measured by earlier executions. */
  readonly seen?: Seen | undefined;
  readonly pace: YieldPolicy;
}

/** Work of lowering a relation, in addition to its columns, measured in rows. */
const relationWork = 32;

/** Maximum number of relations that are planned again as alternatives. Alternatives nest, so without a limit their number would grow with each level. */
const triedMax = 5_000;

/** A query with more relations and expressions than this yields between walks over them. */
const partsOfWalk = 2_048;

export class Planning {
  readonly options: PlanOptions;
  readonly parameters: Parameters;
  readonly counts: TableRows;
  /** Row counts of parts of the query, as measured by earlier executions; `undefined` if there is no feedback. */
  readonly seen: Seen | undefined;
  readonly facts: RewriteFacts;
  readonly dependences = new Dependences();
  /** Joins whose order has been considered. */
  readonly arranged = new WeakSet<BoundRelation>();
  registerCount = 0;
  /** Cost of the remote reads of scans, and of plans that run other plans repeatedly, by plan id. */
  readonly fetches = new Map<number, Omit<Fetches, 'waits'>>();
  /** Cost of filling all spools so far. Each spool is filled once per statement, however often it is read. */
  filling = 0;
  /** True while the step of a recursion is planned, which runs once per iteration. */
  isStep = false;
  private nodeId = 0;
  private tried = 0;
  private trialDepth = 0;
  private readonly pace: YieldPolicy;
  /** The expressions are so large that planning yields between walks over them. */
  private readonly isLarge: boolean;

  constructor(query: BoundQuery, { options, parameters, counts, seen, pace }: Setting) {
    this.seen = seen;
    this.options = options;
    this.parameters = parameters;
    this.counts = counts;
    this.pace = pace;
    this.isLarge = query.parts > partsOfWalk;
    const relations = query.bindings.flatMap((binding) =>
      binding.kind === 'derived' ? [binding.relation] : [binding.anchor, binding.step],
    );
    const neverNull = neverNullColumns([...relations, query.root]);
    this.facts = {
      failures: new CanFailAnalysis(query.bindings),
      neverNull,
      rewriteBudget: new RewriteBudget(),
      narrows: this.uses('outer_to_inner'),
    };
  }

  /** Returns a wait if one is due before the next relation is lowered. In a trial, counts the relation as tried. */
  pause({ columns }: BoundRelation): Pending | undefined {
    if (this.trialDepth > 0) this.tried++;
    return this.pace.pause(relationWork + columns.length);
  }

  /** Returns a wait if one is due between two walks over the expressions of a relation. A small query never waits. */
  between(): Pending | undefined {
    return this.isLarge ? this.pace.pause(Infinity) : undefined;
  }

  /** Returns a wait if one is due between steps of a search. `rows` is the work of the steps, measured in rows. */
  worked(rows: number): Pending | undefined {
    return this.pace.pause(rows);
  }

  /** True if the planner may consider further alternatives. */
  get mayTry(): boolean {
    return this.tried < triedMax;
  }

  /** Plans an alternative that may be discarded. */
  *trial(steps: Steps<Lowered>): Steps<Lowered> {
    this.trialDepth++;
    const lowered = yield* steps;
    this.trialDepth--;
    return lowered;
  }

  /** Returns the row count that feedback has recorded for `part`, else `rows`. A count of the store for the current literals is better than feedback from other literals. */
  corrected(part: string | undefined, rows: RowEstimate): RowEstimate {
    const seen = part === undefined ? undefined : this.seen?.get(part);
    if (seen === undefined || leastTrusted(rows.origin, 'feedback') === 'feedback') return rows;
    return { rows: Math.max(1, seen), origin: 'feedback' };
  }

  uses(technique: Technique): boolean {
    return this.options.without?.includes(technique) !== true;
  }

  get failures(): CanFailAnalysis {
    return this.facts.failures;
  }

  /** Returns the estimate for a plan node. `part`: the feedback name of its rows; `undefined` if the rows are not a part of the query. */
  estimate(part: string | undefined, rows: RowEstimate): Estimate {
    const { rows: found, origin } = this.corrected(part, rows);
    const named = part !== undefined && { part };
    return { estimatedRows: Math.ceil(found), estimatedFrom: origin, ...named };
  }

  /** Returns whether a plan in this frame runs more than once. A plan that runs once is a part of the query, for which feedback can be recorded. */
  isRepeated(frame: CorrelationFrame | undefined): boolean {
    return this.isStep || frame !== undefined;
  }

  /** Returns `name` if a plan in this frame is a part of the query, else `undefined`. */
  partIn(frame: CorrelationFrame | undefined, name: string): string | undefined {
    return this.isRepeated(frame) ? undefined : name;
  }

  nextId(): number {
    return this.nodeId++;
  }

  nextRegister(): number {
    return this.registerCount++;
  }

  /** Returns the relation with its predicates pushed down. Crossings are not rewritten. */
  rewritten(relation: BoundRelation): BoundRelation {
    return pushFilters(relation, [], this.facts);
  }
}
