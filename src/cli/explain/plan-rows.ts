/** The operators of a plan in drawing order, each with its measurements. */

import type { OperatorMeasure, PlanNode, QueryView, StatementDiagnostics } from '#client';

/** Factor from which an estimate that is too low or too high is reported as wrong. */
export const wrongFactor = 10;

export interface Measured {
  /** Number of runs. */
  readonly runs: number;
  /** Rows of all runs. */
  readonly rows: number;
  readonly totalMicros: number;
  /** Time of the operator without the operators below it. */
  readonly selfMicros: number;
  readonly calls: number;
  /** Whether the operator finished. Otherwise an operator above stopped it. */
  readonly isComplete: boolean;
  /** The factor between actual and estimated rows, at least 1. `undefined` if the measurements do not determine it. */
  readonly miss: { readonly factor: number; readonly isMore: boolean } | undefined;
}

export interface PlanRow {
  readonly node: PlanNode;
  readonly depth: number;
  /** Whether the operator is the last input of the operator above. */
  readonly isLast: boolean;
  /** Position of the operator above in the list of rows, or -1 for a root. */
  readonly above: number;
  /** Measurements of the operator; `undefined` if the operator was not measured, for example because there are too many operators. */
  readonly measured: Measured | undefined;
}

export interface PlanTree {
  /** Heading of the rows of a binding or crossing; `undefined` for the statement's own rows. */
  readonly title: string | undefined;
  readonly rows: readonly PlanRow[];
}

/** Returns the trees of the bindings of a statement, followed by the tree of the statement itself. */
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
  /** Whether an operator above may read only some of the rows, or makes operators below skip some. */
  readonly isCut: boolean;
  /** Maximum number of rows for which the enclosing crossing runs, or 0 outside of crossings. */
  readonly enclosing: number;
}

/** Avoids recursion because a chain of operators can be ten thousand long. */
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

/** Returns whether an input can have fewer rows than estimated although its estimate is correct. */
function isCutBelow({ operator, details }: PlanNode, input: number, isCut: boolean): boolean {
  switch (operator) {
    case 'slice':
      return true;
    case 'sort':
      // Rows that cannot be among the first rows are skipped below.
      return details['top'] !== undefined;
    case 'aggregate':
      return false;
    case 'hash_join':
      // If the build side has no rows, the other side is not read.
      return details['build'] === (input === 0 ? 'left' : 'right') ? isCut : true;
    case 'merge_join':
      return true;
    case 'attach':
      return input === 0 ? isCut : !isArray(details['crossings'], input - 1);
    default:
      return isCut;
  }
}

/** Returns whether a crossing reads all rows. All other crossings need only the first row. */
function isArray(crossings: PlanNode['details'][string] | undefined, at: number): boolean {
  return typeof crossings === 'object' && crossings[at]?.startsWith('array') === true;
}

function measuredOf(
  { node, isCut, enclosing }: Open,
  measure: OperatorMeasure,
  above: PlanNode | undefined,
): Measured {
  const { opens: runs = 1, calls, outputRows: rows, complete: isComplete } = measure;
  // A scan below a filter evaluates the condition itself. Its estimate includes the rows that fail the condition.
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
      // A crossing can run once for many rows, so there are fewer starts than runs.
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
