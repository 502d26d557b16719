/** Compares a row with its goals. */

import type { Goal } from '../goals.ts';
import { median, type Row, ratioOf, type SizeReport, timesOf } from './outcome.ts';

export interface Verdict {
  readonly text: string;
  /** Undefined if the reference was not measured. */
  readonly isMet: boolean | undefined;
}

export function verdictOf(
  goal: Goal,
  row: Row,
  size: SizeReport,
  smaller: SizeReport | undefined,
): Verdict {
  const own = timesOf(row.outcomes['svc']);
  const judge = (text: string, isMet: boolean | undefined): Verdict => ({
    text,
    isMet: own === undefined ? false : isMet,
  });
  const ms = own === undefined ? Number.POSITIVE_INFINITY : median(own);
  switch (goal.kind) {
    case 'works':
      return judge('works', true);
    case 'ms':
      return judge(`≤ ${goal.most} ms`, ms <= goal.most);
    case 'rate':
      return judge(`≥ ${goal.least} k rows/s`, (row.rows ?? 0) / ms >= goal.least);
    case 'times': {
      const ratio = goal.of === 'point' ? pointRatio(row, size) : ratioOf(row, goal.of);
      return judge(`≤ ${goal.most} × ${goal.of}`, ratio === undefined ? ratio : ratio <= goal.most);
    }
    case 'share': {
      const ratio = ratioOf(row, goal.of);
      const isMet = ratio === undefined ? ratio : 1 / ratio >= goal.least;
      return judge(`≥ ${goal.least} of ${goal.of}`, isMet);
    }
    case 'linear': {
      const times = smaller === undefined ? undefined : linearTimes(row, size, smaller);
      return judge(`≤ ${goal.most} × linear`, times === undefined ? times : times <= goal.most);
    }
  }
}

/** The exponent of growth: 1 if the time grows with the rows, 0 if it does not grow. */
export function growthOf(row: Row, size: SizeReport, smaller: SizeReport): number | undefined {
  const times = linearTimes(row, size, smaller);
  return times === undefined ? undefined : 1 + Math.log(times) / Math.log(size.rows / smaller.rows);
}

/** How many times as long as a time that grows with the rows. A rate is a time per row already. */
function linearTimes(row: Row, size: SizeReport, smaller: SizeReport): number | undefined {
  const before = timesOf(smaller.table.find(({ id }) => id === row.id)?.outcomes['svc']);
  const now = timesOf(row.outcomes['svc']);
  if (before === undefined || now === undefined) return undefined;
  return median(now) / median(before) / (size.rows / smaller.rows);
}

function pointRatio(row: Row, size: SizeReport): number | undefined {
  const point = timesOf(size.table.find(({ id }) => id === 'point')?.outcomes['svc']);
  const own = timesOf(row.outcomes['svc']);
  return point === undefined || own === undefined ? undefined : median(own) / median(point);
}
