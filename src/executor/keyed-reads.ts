/** How many rows a program reads by key, where its plan proves that it reads in no other way. */

import { writeProtocol } from '#catalog';
import type { BindingPlan, Parameter, ProgramPlan, RelationPlan, StatementPlan } from '#planner';
import { inboundOf } from './mutate/on-delete/inbound.ts';
import { isPoint } from './operators/scan/interval.ts';

/** Larger programs are not looked at further. */
const nodesMax = 64;

/** At most so many; Infinity when nothing is proven. */
export function keyedReads(plan: ProgramPlan): number {
  return known.get(plan.statements) ?? count(plan);
}

/** Of plans whose reads do not depend on their parameters. */
const known = new WeakMap<ProgramPlan['statements'], number>();

function count(plan: ProgramPlan): number {
  const counting = new Counting(plan.parameters);
  let sum = 0;
  for (const statement of plan.statements) sum += counting.statement(statement);
  const reads = Number.isNaN(sum) ? Number.POSITIVE_INFINITY : sum;
  if (!counting.readsParameters) known.set(plan.statements, reads);
  return reads;
}

/** Upper bounds of one run of a relation. */
interface Bounds {
  readonly rows: number;
  readonly reads: number;
}

const unbounded: Bounds = { rows: Number.POSITIVE_INFINITY, reads: Number.POSITIVE_INFINITY };

class Counting {
  private readonly parameters: readonly Parameter[];
  /** Rows of bindings and earlier statements, by name. */
  private readonly rows = new Map<string, number>();
  readsParameters = false;
  private nodes = 0;

  constructor(parameters: readonly Parameter[]) {
    this.parameters = parameters;
  }

  statement(plan: StatementPlan): number {
    if (plan.kind === 'catalog') return Number.POSITIVE_INFINITY;
    let reads = 0;
    for (const binding of plan.query.bindings) reads += this.binding(binding);
    const root = this.relation(plan.query.root);
    this.rows.set(plan.name, root.rows);
    return reads + work(root) + (plan.kind === 'query' ? 0 : root.rows * readsPerRow(plan));
  }

  private binding(plan: BindingPlan): number {
    if (plan.kind === 'recursive') return Number.POSITIVE_INFINITY;
    const { rows, reads } = this.relation(plan.plan);
    this.rows.set(plan.name, rows);
    return reads;
  }

  private relation(plan: RelationPlan): Bounds {
    if (++this.nodes > nodesMax) return unbounded;
    switch (plan.kind) {
      case 'scan':
        return isKeyed(plan) ? { rows: 1, reads: plan.access.kind === 'index' ? 2 : 1 } : unbounded;
      case 'rows':
        this.readsParameters = true;
        return { rows: (this.parameters[plan.parameter] as readonly unknown[]).length, reads: 0 };
      case 'materialized':
        return { rows: this.rows.get(plan.source.name) ?? Number.POSITIVE_INFINITY, reads: 0 };
      case 'filter':
      case 'project':
      case 'sort':
      case 'slice':
      case 'distinct':
      case 'spool':
        return this.relation(plan.input);
      case 'aggregate': {
        const { rows, reads } = this.relation(plan.input);
        return { rows: Math.max(1, rows), reads };
      }
      case 'attach': {
        const { rows, reads } = this.relation(plan.input);
        let each = 0;
        for (const crossing of plan.crossings) each += work(this.relation(crossing.plan));
        return { rows, reads: reads + rows * each };
      }
      case 'lookup_join':
        return joined(this.relation(plan.left), this.relation(plan.right), true);
      case 'hash_join':
      case 'merge_join':
      case 'loop_join':
        return joined(this.relation(plan.left), this.relation(plan.right), false);
      case 'intersect':
      case 'except':
        return added(this.relation(plan.left), this.relation(plan.right));
      case 'concatenate':
        return plan.inputs.map((input) => this.relation(input)).reduce(added);
      case 'frontier':
        return unbounded;
    }
  }
}

function isKeyed({ access, table }: Extract<RelationPlan, { kind: 'scan' }>): boolean {
  if (access.kind === 'table') return false;
  if (access.kind === 'primary') return isPoint(access.interval, table.primaryKey.length);
  return access.index.unique && isPoint(access.interval, access.index.columns.length);
}

/** Rows that are made without reading count like reads: they take as long. */
function work({ rows, reads }: Bounds): number {
  return Math.max(rows, reads);
}

function joined(left: Bounds, right: Bounds, isRunForEachRow: boolean): Bounds {
  const rows = left.rows * Math.max(1, right.rows);
  const reads = isRunForEachRow ? left.rows * right.reads : right.reads;
  return { rows, reads: Math.max(rows, left.reads + reads) };
}

function added(left: Bounds, right: Bounds): Bounds {
  return { rows: left.rows + right.rows, reads: left.reads + right.reads };
}

/** The row itself, what must be unique, and what must exist; what refers to a deleted row is found by a scan. */
function readsPerRow({ kind, table, catalog }: Extract<StatementPlan, { table: unknown }>): number {
  if (kind === 'delete' && inboundOf(catalog, table.id).length > 0) return Number.POSITIVE_INFINITY;
  const { foreignKeys } = writeProtocol(table);
  const unique = table.indexes.filter((index) => index.unique).length;
  return 1 + unique + foreignKeys.length;
}
