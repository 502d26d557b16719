/** Facts about the reads of a plan, computed once when the plan is made. They are the scans of a single row, the maximum number of reads by key, and the rows that a query looks up. */

import { inboundOf, type Table, writeProtocol } from '#catalog';
import { rootsOf, walkPlans } from './inputs.ts';
import type { MutationStatementPlan, PointLookup, ProgramPlan, StatementPlan } from './program.ts';
import {
  isShort,
  larger,
  noReads,
  oneRead,
  plus,
  type ReadBound,
  readsAt,
  readsOf,
  readsOfRows,
  times,
} from './read-bound.ts';
import type { Access, BindingPlan, PointKey, RelationPlan, ScanPlan } from './relation.ts';

/** A program with more plan nodes than this has no read bound. */
const nodesMax = 64;
/** Maximum number of scans in `pointLookups`. Checking more rows one by one for changes is not worth it. */
const pointLookupsMax = 16;

/** Returns the key of a scan that reads at most one row by a whole key; `undefined` for any other access. This is the only place that recognizes such scans. */
export function pointKeyOf(table: Table, access: Access): PointKey | undefined {
  if (access.kind === 'table') return undefined;
  if (access.kind === 'index' && !access.index.unique) return undefined;
  const { length } = access.kind === 'index' ? access.index.columns : table.primaryKey;
  const { prefix } = access.interval;
  if (prefix.length !== length || prefix.some(({ isNull }) => isNull)) return undefined;
  const parameters = prefix.flatMap(({ value }) => (value.kind === 'parameter' ? value.index : []));
  return { parameters: parameters.length === length ? parameters : undefined };
}

/** Returns the maximum number of rows that a program reads by key; Infinity if none is proven. */
export function keyedReads({ readBound, parameters }: ProgramPlan): number {
  return readBound === undefined ? Number.POSITIVE_INFINITY : readsAt(readBound, parameters);
}

export function pointLookupsOf(
  statements: readonly StatementPlan[],
): readonly PointLookup[] | undefined {
  const scans: ScanPlan[] = [];
  for (const statement of statements) {
    if (statement.kind !== 'query') return undefined;
    walkPlans(rootsOf(statement.query), (plan) => {
      if (plan.kind === 'scan') scans.push(plan);
    });
  }
  if (scans.length > pointLookupsMax) return undefined;
  const reads = scans.flatMap(({ table, access, point }) => {
    const key = access.kind === 'primary' ? point?.parameters : undefined;
    return key === undefined ? [] : { table, key };
  });
  return reads.length === scans.length ? reads : undefined;
}

export function readBoundOf(statements: readonly StatementPlan[]): ReadBound | undefined {
  const counting = new Counting();
  let sum = noReads;
  for (const statement of statements) {
    const reads = counting.statement(statement);
    if (reads === undefined) return undefined;
    sum = plus(sum, reads);
  }
  return isShort(sum) ? sum : undefined;
}

/** Upper bounds for one run of a relation. */
interface Bounds {
  readonly rows: ReadBound;
  readonly reads: ReadBound;
}

class Counting {
  /** Row bounds of bindings and earlier statements, by name. */
  private readonly rows = new Map<string, ReadBound>();
  private nodes = 0;

  statement(plan: StatementPlan): ReadBound | undefined {
    if (plan.kind === 'catalog') return undefined;
    let reads = noReads;
    for (const binding of plan.query.bindings) {
      const ofBinding = this.binding(binding);
      if (ofBinding === undefined) return undefined;
      reads = plus(reads, ofBinding);
    }
    const root = this.relation(plan.query.root);
    if (root === undefined) return undefined;
    this.rows.set(plan.name, root.rows);
    reads = plus(reads, work(root));
    if (plan.kind === 'query') return reads;
    const perRow = readsPerRow(plan);
    return perRow === undefined ? undefined : plus(reads, times(root.rows, readsOf(perRow)));
  }

  private binding(plan: BindingPlan): ReadBound | undefined {
    const bounds = plan.kind === 'recursive' ? undefined : this.relation(plan.plan);
    if (bounds !== undefined) this.rows.set(plan.name, bounds.rows);
    return bounds?.reads;
  }

  private relation(plan: RelationPlan): Bounds | undefined {
    if (++this.nodes > nodesMax) return undefined;
    const bounds = this.boundsOf(plan);
    return bounds && isShort(bounds.rows) && isShort(bounds.reads) ? bounds : undefined;
  }

  private boundsOf(plan: RelationPlan): Bounds | undefined {
    switch (plan.kind) {
      case 'scan':
        if (plan.point === undefined) return undefined;
        return { rows: oneRead, reads: plan.access.kind === 'index' ? readsOf(2) : oneRead };
      case 'rows':
        return { rows: readsOfRows(plan.parameter), reads: noReads };
      case 'materialized': {
        const rows = this.rows.get(plan.source.name);
        return rows && { rows, reads: noReads };
      }
      case 'filter':
      case 'project':
      case 'sort':
      case 'slice':
      case 'distinct':
      case 'spool':
        return this.relation(plan.input);
      case 'aggregate': {
        const input = this.relation(plan.input);
        return input && { rows: larger(oneRead, input.rows), reads: input.reads };
      }
      case 'attach':
        return this.attached(plan);
      case 'lookup_join':
      case 'hash_join':
      case 'merge_join':
      case 'loop_join':
        return this.both(plan, (left, right) => joined(left, right, plan.kind === 'lookup_join'));
      case 'intersect':
      case 'except':
        return this.both(plan, added);
      case 'concatenate': {
        const inputs = plan.inputs.map((input) => this.relation(input));
        return inputs.reduce((sum, input) => sum && input && added(sum, input));
      }
      case 'frontier':
        return undefined;
    }
  }

  private attached(plan: Extract<RelationPlan, { kind: 'attach' }>): Bounds | undefined {
    const input = this.relation(plan.input);
    if (input === undefined) return undefined;
    let each = noReads;
    for (const crossing of plan.crossings) {
      const bounds = this.relation(crossing.plan);
      if (bounds === undefined) return undefined;
      each = plus(each, work(bounds));
    }
    return { rows: input.rows, reads: plus(input.reads, times(input.rows, each)) };
  }

  private both(
    plan: { readonly left: RelationPlan; readonly right: RelationPlan },
    combine: (left: Bounds, right: Bounds) => Bounds,
  ): Bounds | undefined {
    const left = this.relation(plan.left);
    const right = this.relation(plan.right);
    return left && right && combine(left, right);
  }
}

/** Returns the larger of rows and reads, because making a row takes as long as reading one. */
function work({ rows, reads }: Bounds): ReadBound {
  return larger(rows, reads);
}

function joined(left: Bounds, right: Bounds, isRunForEachRow: boolean): Bounds {
  const rows = times(left.rows, larger(oneRead, right.rows));
  const reads = isRunForEachRow ? times(left.rows, right.reads) : right.reads;
  return { rows, reads: larger(rows, plus(left.reads, reads)) };
}

function added(left: Bounds, right: Bounds): Bounds {
  return { rows: plus(left.rows, right.rows), reads: plus(left.reads, right.reads) };
}

/** Returns the reads per changed row: the row itself, its unique index entries and the rows that it references. Returns `undefined` if finding the referencing rows needs a scan. */
function readsPerRow({ kind, table, catalog }: MutationStatementPlan & StatementPlan) {
  if (kind === 'delete' && inboundOf(catalog, table.id).length > 0) return undefined;
  const { foreignKeys } = writeProtocol(table);
  const unique = table.indexes.filter((index) => index.unique).length;
  return 1 + unique + foreignKeys.length;
}
