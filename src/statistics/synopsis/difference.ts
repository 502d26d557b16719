/** Decides whether the result of a survey may lead to other plans. If so, all plans made before it are planned again. */

import type { ColumnSynopsis, TableSynopsis } from './synopsis.ts';

const factor = 2;
/** Difference of two fractions of the rows above which a result counts as different. */
const shareStep = 0.1;

export function isOtherFinding(before: TableSynopsis | undefined, after: TableSynopsis): boolean {
  if (before === undefined || before.columns.length !== after.columns.length) return true;
  if (isFar(before.tableRows, after.tableRows)) return true;
  return after.columns.some((column, i) => {
    const former = before.columns[i] as ColumnSynopsis;
    return (
      former.physicalId !== column.physicalId ||
      isFar(former.distinctInTable, column.distinctInTable) ||
      differs(former.nulls / before.observedRows, column.nulls / after.observedRows) ||
      differs(mostCommonShare(former, before), mostCommonShare(column, after))
    );
  });
}

function isFar(a: number, b: number): boolean {
  return Math.max(a, b, 1) > factor * Math.max(1, Math.min(a, b));
}

function differs(a: number, b: number): boolean {
  return Math.abs(a - b) > shareStep;
}

function mostCommonShare({ mostCommon }: ColumnSynopsis, { observedRows }: TableSynopsis): number {
  const [first] = mostCommon;
  if (first === undefined) return 0;
  return (first.frequency - first.maximumError) / Math.max(1, observedRows);
}
