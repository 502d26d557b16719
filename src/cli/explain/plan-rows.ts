/** A plan, operator by operator in the order in which it is drawn, beside what was measured of each. */

import type { OperatorMeasure, PlanNode, QueryView, StatementDiagnostics } from '#client';

/** An estimate that is so many times too low or too high has misled. */
export const wrongFactor = 10;

export interface Measured {
  /** How often it began anew. */
  readonly runs: number;
  /** Of all runs. */
  readonly rows: number;
  readonly totalMicros: number;
  /** Without those below. */
  readonly selfMicros: number;
  readonly calls: number;
  /** False: something above stopped it. */
  readonly isComplete: boolean;
  /** How many times more or fewer rows came than were estimated, at least 1; undefined where that cannot be told. */
  readonly miss: { readonly factor: number; readonly isMore: boolean } | undefined;
}

export interface PlanRow {
  readonly node: PlanNode;
  readonly depth: number;
  /** Of those that have the same one above. */
  readonly isLast: boolean;
  /** Of the operator above among the rows; -1 for a root. */
  readonly above: number;
  /** Undefined where nothing was measured, or too many operators were. */
  readonly measured: Measured | undefined;
}

export interface PlanTree {
  /** Undefined for the statement's own rows. */
  readonly title: string | undefined;
  readonly rows: readonly PlanRow[];
}

/** The bindings of a statement, then its own rows. */
export function planTrees(view: QueryView, told?: StatementDiagnostics): readonly PlanTree[] {
  const measures = new Map<number, OperatorMeasure>();
  for (const one of told?.operatorTrace?.operators ?? []) measures.set(one.operatorId, one);
  const bindings = view.bindings.map(({ title, root }) => ({
    title,
    rows: rowsOf(root, measures),
  }));
  return [...bindings, { title: undefined, rows: rowsOf(view.root, measures) }];
}

interface Open {
  readonly node: PlanNode;
  readonly depth: number;
  readonly isLast: boolean;
  readonly above: number;
  /** Something above has use for a part of the rows only, or leaves out some below. */
  readonly isCut: boolean;
  /** Rows that a crossing runs for, at most; 0 outside of crossings. */
  readonly enclosing: number;
}

/** Without recursion: a chain can be ten thousand operators long. */
function rowsOf(
  root: PlanNode,
  measures: ReadonlyMap<number, OperatorMeasure>,
): readonly PlanRow[] {
  const rows: PlanRow[] = [];
  const open: Open[] = [
    { node: root, depth: 0, isLast: true, above: -1, isCut: false, enclosing: 0 },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, depth, isLast, above, isCut } = next;
    const measure = measures.get(node.id);
    const measured = measure && measuredOf(next, measure, rows[above]?.node);
    rows.push({ node, depth, isLast, above, measured });
    const { inputs } = node;
    const at = rows.length - 1;
    for (let i = inputs.length - 1; i >= 0; i--) {
      const isCrossing = node.operator === 'attach' && i > 0;
      const outer = measures.get((inputs[0] as PlanNode).id)?.outputRows ?? 0;
      open.push({
        node: inputs[i] as PlanNode,
        depth: depth + 1,
        isLast: i === inputs.length - 1,
        above: at,
        isCut: isCutBelow(node, i, isCut),
        enclosing: isCrossing ? outer : next.enclosing,
      });
    }
  }
  return rows;
}

/** Whether fewer rows of the input than were estimated say nothing about the estimate. */
function isCutBelow({ operator, details }: PlanNode, input: number, isCut: boolean): boolean {
  switch (operator) {
    case 'slice':
      return true;
    case 'sort':
      // Rows that cannot be among the first ones are left out below.
      return details['top'] !== undefined;
    case 'aggregate':
      return false;
    case 'hash_join':
      // Where the held side has no rows, the other one is not read.
      return details['build'] === (input === 0 ? 'left' : 'right') ? isCut : true;
    case 'merge_join':
      return true;
    case 'attach':
      return input === 0 ? isCut : !isArray(details['crossings'], input - 1);
    default:
      return isCut;
  }
}

/** All other crossings have enough with the first row. */
function isArray(crossings: PlanNode['details'][string] | undefined, at: number): boolean {
  return typeof crossings === 'object' && crossings[at]?.startsWith('array') === true;
}

function measuredOf(
  { node, isCut, enclosing }: Open,
  measure: OperatorMeasure,
  above: PlanNode | undefined,
): Measured {
  const { opens: runs = 1, calls, outputRows: rows, complete: isComplete } = measure;
  // A scan below a filter tests the condition by itself: its estimate is of rows that were never handed on.
  const isFiltered = node.operator === 'scan' && above?.operator === 'filter';
  const isShort = isCut || isFiltered || !isComplete;
  return {
    runs,
    rows,
    totalMicros: measure.inclusiveMicros,
    selfMicros: measure.exclusiveMicros,
    calls,
    isComplete,
    miss: missOf(node.estimated_rows, rows, {
      runsMin: runs,
      // A crossing may run once for many rows at once: then it has begun less often than it has run.
      runsMax: Math.max(runs, enclosing),
      isShort,
    }),
  };
}

interface Reach {
  readonly runsMin: number;
  readonly runsMax: number;
  readonly isShort: boolean;
}

function missOf(
  estimated: number,
  rows: number,
  { runsMin, runsMax, isShort }: Reach,
): Measured['miss'] {
  if (runsMin === 0) return undefined;
  const atLeast = (count: number) => Math.max(1, count);
  const more = atLeast(rows) / atLeast(estimated * runsMax);
  if (more >= 1) return { factor: more, isMore: true };
  if (isShort) return undefined;
  return { factor: atLeast(atLeast(estimated * runsMin) / atLeast(rows)), isMore: false };
}
