/** What planning one statement carries along: options, facts of its tree, and the counters of ids, registers and parameters. */

import type { Pace, Pending, Steps } from '#base';
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
import { leastTrusted, type Rows } from '../cost/estimate.ts';
import type { TableRows } from '../cost/table-rows.ts';
import { Dependences } from '../facts/dependence.ts';
import { Hazards } from '../facts/hazards.ts';
import { solidColumns } from '../facts/solid.ts';
import type { Parameter, ParameterSource } from '../plan/program.ts';
import type { RelationPlan } from '../plan/relation.ts';
import type { RowCount } from '../plan/row-count.ts';
import type { RewriteFacts } from '../rewrite/conjuncts.ts';
import { Effort } from '../rewrite/effort.ts';
import { pushFilters } from '../rewrite/push-filter.ts';
import type { Frame } from './frame.ts';
import type { Lowered } from './want.ts';

export interface PlanOptions {
  /** `scan_only`: tables are read as a whole. */
  readonly accessPaths: 'all' | 'scan_only';
  /** `nested`: crossings run for each row, without spools and key lookups. */
  readonly crossings: 'spooled' | 'nested';
  /** `whole`: top-k sorts read all of their input, whatever its order, so partly ordered paths do not pay. Absent: `eager`. */
  readonly topSorts?: 'eager' | 'whole';
  /** What plans do without; absent: nothing. */
  readonly without?: readonly Technique[];
}

/**
 * What can be left out, to see that it changes no answer. `index_only`: rows are read out of an index that holds all that is needed of them;
 * `key_lists`: a column that equals one of several values is looked up by key for each. `join_order`: inner joins are made in a better order; `late_tests`: filters by crossings stand above joins that leave fewer rows; `membership`: a value that is tested against many literals is looked for in a set of them; `merge_join`: sides that come in the order of their keys are merged.
 * `rows_ahead`: crossings read by index for several enclosing rows at once. `outer_to_inner`: left joins whose padded rows are dropped above are inner ones. `redundant_distinct`: rows that differ by a key are not compared. `semi_join`: filters by `exists` and `not exists` are joins. `zones`: scans pass over blocks in which no row can be of interest.
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
 * A limit of 0 is planned by itself, and what is at most one row, or at most the two that `exactly_one` looks at, is part of the plan. No other number of
 * rows changes what a plan answers.
 */
const limitMin = 3;

/** Limits of as many digits: a plan that is good for one of them is at most ten times off for another. */
function limitClass(limit: number): { readonly from: number; readonly to: number } {
  const from = powerBelow(limit);
  return { from: Math.max(limitMin, from), to: 10 * from - 1 };
}

/** The first pages are one class. */
const firstOffsets = 100;

function offsetClass(offset: number): { readonly from: number; readonly to: number } {
  if (offset < firstOffsets) return { from: 0, to: firstOffsets - 1 };
  const from = powerBelow(offset);
  return { from, to: 10 * from - 1 };
}

/** The power of ten of as many digits. */
function powerBelow(count: number): number {
  let power = 1;
  while (power * 10 <= count) power *= 10;
  return power;
}

/** The parameters of a program, shared by its statements. */
export class Parameters {
  readonly values: Parameter[] = [];
  /** Where each value stands in the document; undefined for one that planning made. */
  readonly sources: (ParameterSource | undefined)[] = [];
  private readonly known = new Map<BoundLiteral | readonly Row[] | TextPart, number>();
  private readonly counts = new Map<SliceNode, { offset?: RowCount; limit?: RowCount }>();

  add(value: Parameter, source?: ParameterSource): number {
    this.sources.push(source);
    return this.values.push(value) - 1;
  }

  ofLiteral(literal: BoundLiteral): number {
    const { source, type, value } = literal;
    const from = source && ({ kind: 'literal', literal: source, type: type.kind } as const);
    return this.indexOf(literal, value, from as ParameterSource | undefined);
  }

  ofRows({ rows, source }: BoundRows): number {
    return this.indexOf(rows, rows, { kind: 'rows', node: source });
  }

  /** The text of a part of a pattern. */
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

  /** One index for one source, however often it is planned. */
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

/** What the statements of a program are planned with. */
export interface Setting {
  readonly options: PlanOptions;
  readonly parameters: Parameters;
  readonly counts: TableRows;
  /** Rows that parts of the query had when it ran. */
  readonly seen?: Seen | undefined;
  readonly pace: Pace;
}

/** What lowering a relation costs beside its columns, measured in rows of work. */
const relationWork = 32;

/** Relations that are planned once more to see whether another way is cheaper. Alternatives nest: without a bound their number grows with each level. */
const triedMax = 5_000;

/** Relations and expressions that are walked over several times within a slice. */
const partsOfWalk = 2_048;

export class Planning {
  readonly options: PlanOptions;
  readonly parameters: Parameters;
  readonly counts: TableRows;
  /** Rows that parts of the query had when it ran, by part; undefined when there is nothing to tell. */
  readonly seen: Seen | undefined;
  readonly facts: RewriteFacts;
  readonly dependences = new Dependences();
  /** Joins whose order has been considered. */
  readonly arranged = new WeakSet<BoundRelation>();
  registerCount = 0;
  /** What scans, and plans that run others again and again, wait for a remote place, by id of the plan. */
  readonly fetches = new Map<number, Omit<Fetches, 'waits'>>();
  /** Cost of filling all spools so far: each is filled once a statement, however often it is read. */
  filling = 0;
  /** Set while the step of a recursion is planned: it runs once per iteration. */
  isStep = false;
  private nodeId = 0;
  private tried = 0;
  private trialDepth = 0;
  private readonly pace: Pace;
  /** Its expressions are so large that each walk over them counts. */
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
    const solid = solidColumns([...relations, query.root]);
    this.facts = {
      hazards: new Hazards(query.bindings),
      solid,
      effort: new Effort(),
      narrows: this.uses('outer_to_inner'),
    };
  }

  /** Before the next relation is lowered. */
  pause({ columns }: BoundRelation): Pending | undefined {
    if (this.trialDepth > 0) this.tried++;
    return this.pace.pause(relationWork + columns.length);
  }

  /** Between two walks over the expressions of a relation. */
  between(): Pending | undefined {
    return this.isLarge ? this.pace.pause(Infinity) : undefined;
  }

  /** Between steps of a search, by what they cost in rows of work. */
  worked(rows: number): Pending | undefined {
    return this.pace.pause(rows);
  }

  /** Whether other ways to run a relation may still be looked at. */
  get mayTry(): boolean {
    return this.tried < triedMax;
  }

  /** Plans something that may be thrown away. */
  *trial(steps: Steps<Lowered>): Steps<Lowered> {
    this.trialDepth++;
    const lowered = yield* steps;
    this.trialDepth--;
    return lowered;
  }

  /** `rows`, unless they were seen to be others. What the store has counted for the literals at hand is better than what others had. */
  corrected(part: string | undefined, rows: Rows): Rows {
    const seen = part === undefined ? undefined : this.seen?.get(part);
    if (seen === undefined || leastTrusted(rows.origin, 'feedback') === 'feedback') return rows;
    return { rows: Math.max(1, seen), origin: 'feedback' };
  }

  uses(technique: Technique): boolean {
    return this.options.without?.includes(technique) !== true;
  }

  get hazards(): Hazards {
    return this.facts.hazards;
  }

  /** The estimate of a plan, as it stands in the plan. `part`: the relation of the query that its rows are; undefined where it is none. */
  estimate(part: string | undefined, rows: Rows): Estimate {
    const { rows: found, origin } = this.corrected(part, rows);
    const named = part !== undefined && { part };
    return { estimatedRows: Math.ceil(found), estimatedFrom: origin, ...named };
  }

  /** Whether a plan in this frame runs more than once. Else it is a part of the query, whose rows can be seen again. */
  isRepeated(frame: Frame | undefined): boolean {
    return this.isStep || frame !== undefined;
  }

  /** `name` of a plan in this frame, if it is a part of the query. */
  partIn(frame: Frame | undefined, name: string): string | undefined {
    return this.isRepeated(frame) ? undefined : name;
  }

  nextId(): number {
    return this.nodeId++;
  }

  nextRegister(): number {
    return this.registerCount++;
  }

  /** The relation with its predicates where they belong; crossings are left for later. */
  rewritten(relation: BoundRelation): BoundRelation {
    return pushFilters(relation, [], this.facts);
  }
}
