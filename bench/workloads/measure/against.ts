/** A report compared with that of an earlier run. */

import { median, type Report, type Row, ratioOf, timesOf } from './outcome.ts';
import { short } from './text.ts';

const references = ['sqlite', 'duckdb', 'postgres', 'alone'];

/** For each row that both reports contain: times, and how they changed relative to the first reference of both, because machines differ from hour to hour. */
export function comparisonOf(now: Report, before: Report): string {
  const lines = now.sizes.flatMap(({ rows, table }) => {
    const earlier = before.sizes.find((size) => size.rows === rows)?.table ?? [];
    return table.flatMap((row) => {
      const other = earlier.find(({ id }) => id === row.id);
      return other === undefined ? [] : [lineOf(rows, other, row)];
    });
  });
  const head = ['rows', 'question', 'before, ms', 'now, ms', 'now / before', 'relative to'];
  const rule = head.map(() => '---');
  return [head, rule, ...lines].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

function lineOf(rows: number, before: Row, now: Row): readonly string[] {
  const name = references.find(
    (reference) => ratioOf(now, reference) && ratioOf(before, reference),
  );
  const [from, to] =
    name === undefined ? [before, now].map(timeOf) : [ratioOf(before, name), ratioOf(now, name)];
  const change = from === undefined || to === undefined ? '–' : short(to / from);
  return [rows.toLocaleString('en'), now.name, cellOf(before), cellOf(now), change, name ?? '–'];
}

function timeOf({ outcomes }: Row): number | undefined {
  const times = timesOf(outcomes['svc']);
  return times === undefined ? undefined : median(times);
}

function cellOf(row: Row): string {
  const ms = timeOf(row);
  if (ms !== undefined) return short(ms);
  const outcome = row.outcomes['svc'];
  return outcome !== undefined && 'problem' in outcome ? `\`${outcome.problem}\`` : '–';
}
