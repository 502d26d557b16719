/** Search arguments: conjuncts that a key can answer, because they compare one column with a value that is constant during the scan. */

import type { Table } from '#catalog';
import type { BoundExpression, BoundScan } from '../bind/bound.ts';
import { columnsReadBy } from '../bind/columns-read.ts';

export interface Sarg {
  /** Schema id of the column. */
  readonly column: number;
  readonly op: 'eq' | 'lt' | 'lte' | 'gt' | 'gte' | 'is_null' | 'among';
  /** The compared value, which reads no column of the scan; `undefined` for `is_null` and `among`. */
  readonly value: BoundExpression | undefined;
  /** Only for `among`: the column equals one of these values. */
  readonly values?: readonly BoundExpression[];
  readonly conjunct: BoundExpression;
}

const flipped = { eq: 'eq', lt: 'gt', lte: 'gte', gt: 'lt', gte: 'lte' } as const;

/** Returns the search arguments among these conjuncts. The conjuncts must not raise errors or contain crossings. */
export function sargsOf(scan: BoundScan, conjuncts: readonly BoundExpression[]): readonly Sarg[] {
  const columns = tableColumns(scan, scan.table);
  return conjuncts.flatMap((conjunct) => sargOf(conjunct, columns) ?? []);
}

/** Maps bound column ids to schema ids of the columns of the table. */
function tableColumns({ columns }: BoundScan, table: Table): ReadonlyMap<number, number> {
  return new Map(table.columns.map((column, i) => [columns[i]?.id as number, column.id]));
}

function sargOf(conjunct: BoundExpression, columns: ReadonlyMap<number, number>): Sarg | undefined {
  if (conjunct.kind === 'unary' && conjunct.op === 'is_null') {
    const column = columnOf(conjunct.operand, columns);
    return column === undefined ? undefined : { column, op: 'is_null', value: undefined, conjunct };
  }
  if (conjunct.kind === 'logical' && conjunct.op === 'or') return alternatives(conjunct, columns);
  if (conjunct.kind !== 'compare' || conjunct.op === 'ne') return undefined;
  const { left, right, op } = conjunct;
  const ofLeft = columnOf(left, columns);
  if (ofLeft !== undefined && isFixed(right, columns)) {
    return { column: ofLeft, op, value: right, conjunct };
  }
  const ofRight = columnOf(right, columns);
  if (ofRight === undefined || !isFixed(left, columns)) return undefined;
  return { column: ofRight, op: flipped[op], value: left, conjunct };
}

/** Maximum number of values that a scan looks up one by one. Their keys are built and sorted without a yield. */
const alternativesMax = 4096;

/** Converts an `or` of equalities on one column to `among`; returns `undefined` for any other `or`. */
function alternatives(
  conjunct: Extract<BoundExpression, { kind: 'logical' }>,
  columns: ReadonlyMap<number, number>,
): Sarg | undefined {
  if (conjunct.operands.length > alternativesMax) return undefined;
  const values: BoundExpression[] = [];
  let column: number | undefined;
  for (const operand of conjunct.operands) {
    const sarg = operand.kind === 'compare' ? sargOf(operand, columns) : undefined;
    if (sarg?.op !== 'eq' || sarg.value === undefined) return undefined;
    if (column !== undefined && column !== sarg.column) return undefined;
    column = sarg.column;
    values.push(sarg.value);
  }
  if (column === undefined) return undefined;
  return { column, op: 'among', value: undefined, values, conjunct };
}

function columnOf(
  expression: BoundExpression,
  columns: ReadonlyMap<number, number>,
): number | undefined {
  return expression.kind === 'column' ? columns.get(expression.id) : undefined;
}

function isFixed(expression: BoundExpression, columns: ReadonlyMap<number, number>): boolean {
  for (const id of columnsReadBy(expression)) if (columns.has(id)) return false;
  return true;
}
