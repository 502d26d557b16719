/** Checks the cells of literal rows against the types of their columns (docs/lir.md §6.1), which a grammar cannot express. */

import type { Steps, YieldPolicy } from '#base';
import { type RowsColumn, type RowsNode, resolvePointer } from '#lir';
import { isBase64, TextRows } from '#value';
import { type Check, isObject } from '../check/check.ts';
import type { GrammarError, Report } from '../check/report.ts';
import { notBase64 } from '../check/scalar.ts';
import { quote } from '../check/wording.ts';

export const checkRows: Check = (value, depth, report) => {
  const { rows, columns } = value as RowsNode;
  report.path[depth] = 'rows';
  for (let i = 0; i < rows.length && !report.isPayloadFull; i++) {
    const length = rows instanceof TextRows ? rows.width : (rows[i] as readonly unknown[]).length;
    if (length === columns.length) continue;
    report.path[depth + 1] = i;
    report.foundPayload(
      depth + 2,
      `expected ${columns.length} cells, one for each column, got ${length}`,
    );
  }
  columns.forEach((column, index) => {
    const complaint = cellCheck(column);
    if (complaint !== undefined) checkColumn(rows, index, complaint, depth, report);
  });
};

/** Rows checked between two yields. */
const rowsAtOnce = 512;

/** Returns whether all rows are lists of well-formed strings and nulls, as their grammar requires. Yields according to `pace`. */
export function* areCells(rows: readonly unknown[], pace: YieldPolicy): Steps<boolean> {
  for (let from = 0; from < rows.length; from += rowsAtOnce) {
    const to = Math.min(rows.length, from + rowsAtOnce);
    for (let i = from; i < to; i++) if (!isOfCells(rows[i])) return false;
    const wait = pace.pause(to - from);
    if (wait !== undefined) yield wait;
  }
  return true;
}

function isOfCells(row: unknown): boolean {
  if (!Array.isArray(row)) return false;
  for (let i = 0; i < row.length; i++) {
    const cell: unknown = row[i];
    if (cell !== null && !(typeof cell === 'string' && cell.isWellFormed())) return false;
  }
  return true;
}

/** Returns the findings of a query. Findings in cells also name the column and its type, since a pointer contains only the column number. */
export function namedCells(
  findings: readonly GrammarError[],
  query: unknown,
): readonly GrammarError[] {
  return findings.map((finding) => {
    const [, node, column] = cellPointer.exec(finding.pointer) ?? [];
    if (node === undefined) return finding;
    const declared = resolvePointer(query, `${node}/columns/${column}`);
    const { name, type } = (isObject(declared) ? declared : {}) as Partial<RowsColumn>;
    if (typeof name !== 'string' || typeof type !== 'string') return finding;
    return { ...finding, detail: `column ${quote(name)} of type ${type}: ${finding.detail}` };
  });
}

const cellPointer = /^(\/nodes\/[^/]+)\/rows\/\d+\/(\d+)$/;

type CellCheck = (cell: string) => string | undefined;

/** Returns the check for cells of a column. Numbers need none: the type check parses them later and reports invalid ones as `type_mismatch`. */
function cellCheck({ type }: RowsColumn): CellCheck | undefined {
  if (type === 'bool') return boolComplaint;
  return type === 'bytes' ? bytesComplaint : undefined;
}

function boolComplaint(cell: string): string | undefined {
  return cell === 'true' || cell === 'false' ? undefined : 'expected "true" or "false" as a cell';
}

function bytesComplaint(cell: string): string | undefined {
  return isBase64(cell) ? undefined : notBase64;
}

function checkColumn(
  rows: RowsNode['rows'],
  index: number,
  complaintOf: CellCheck,
  depth: number,
  report: Report,
): void {
  for (let i = 0; i < rows.length && !report.isPayloadFull; i++) {
    const cell = rows instanceof TextRows ? rows.cell(i, index) : rows[i]?.[index];
    const complaint = typeof cell === 'string' ? complaintOf(cell) : undefined;
    if (complaint === undefined) continue;
    report.path[depth + 1] = i;
    report.path[depth + 2] = index;
    report.foundPayload(depth + 3, complaint);
  }
}
