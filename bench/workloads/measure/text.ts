/** The report as tables in Markdown. */

import { type Goals, livezGoalMs } from '../goals.ts';
import type { EngineName } from '../question.ts';
import {
  median,
  type Outcome,
  type Report,
  type Row,
  ratioOf,
  type SizeReport,
  timesOf,
} from './outcome.ts';
import { growthOf, type Verdict, verdictOf } from './verdict.ts';

const references: readonly Exclude<EngineName, 'svc'>[] = ['sqlite', 'duckdb', 'postgres'];
const titles = { sqlite: 'SQLite', duckdb: 'DuckDB', postgres: 'PostgreSQL' };

export function verdictsOf(goals: Goals, row: Row, report: Report): readonly Verdict[] {
  const { size, smaller } = placeOf(row, report);
  return (goals[row.id] ?? []).map((goal) => verdictOf(goal, row, size, smaller));
}

function placeOf(row: Row, { sizes }: Report) {
  const at = sizes.findIndex(({ table }) => table.includes(row));
  return { size: sizes[at] as SizeReport, smaller: sizes[at - 1] };
}

/** Figures are medians with the best round in brackets. The figure of svc is divided by that of each reference. */
export function tablesOf(report: Report, goals: Goals): string {
  return report.sizes.map((size) => tableOf(size, report, goals)).join('\n');
}

function tableOf(size: SizeReport, report: Report, goals: Goals): string {
  const shown = references.filter((name) => size.table.some(({ outcomes }) => name in outcomes));
  const head = [
    `${size.rows.toLocaleString('en')} rows, store of ${Math.round(size.storeMib)} MiB`,
    'svc',
    ...shown.map((name) => `${titles[name]} (svc ÷ it)`),
    'growth',
    'goal',
    `/livez ms (goal ${livezGoalMs})`,
    'peak MiB',
    'read MiB',
  ];
  const lines = size.table.map((row) => {
    const { smaller } = placeOf(row, report);
    const growth = smaller === undefined ? undefined : growthOf(row, size, smaller);
    const { gauge } = row;
    return [
      `${row.name}, ${unitOf(row)}`,
      cellOf(row, row.outcomes['svc']) + aloneOf(row),
      ...shown.map((name) => referenceCell(row, name)),
      growth?.toFixed(2) ?? '–',
      verdictsOf(goals, row, report).map(verdictText).join(', ') || '–',
      gauge === undefined ? '–' : short(gauge.livezMs),
      gauge === undefined ? '–' : `${Math.round(gauge.peakMib)}`,
      gauge === undefined ? '–' : short(gauge.readMib),
    ];
  });
  const rule = head.map(() => '---');
  return [head, rule, ...lines].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

export function unitOf({ id, rows }: Row): string {
  if (rows === undefined) return 'ms';
  return id === 'reads-beside' ? 'k/s' : 'k rows/s';
}

export function lineOf(row: Row): string {
  const cells = Object.entries(row.outcomes).map(([name, outcome]) => {
    return `${name} ${cellOf(row, outcome)}`;
  });
  return `${row.name}, ${unitOf(row)} | ${cells.join(' | ')}`;
}

function verdictText({ text, isMet }: Verdict): string {
  return isMet === undefined ? text : `${text}: ${isMet ? 'met' : '**missed**'}`;
}

function referenceCell(row: Row, name: string): string {
  const ratio = ratioOf(row, name);
  const cell = cellOf(row, row.outcomes[name]);
  if (ratio === undefined) return cell;
  return `${cell} (${short(row.rows === undefined ? ratio : 1 / ratio)})`;
}

function aloneOf(row: Row): string {
  const { alone } = row.outcomes;
  return alone === undefined ? '' : `; alone ${cellOf(row, alone)}`;
}

/** The best round is the lowest time, which is the highest rate. */
function cellOf(row: Row, outcome: Outcome | undefined): string {
  if (outcome === undefined) return '–';
  const times = timesOf(outcome);
  if (times === undefined) return 'problem' in outcome ? `\`${outcome.problem}\`` : '–';
  const show = (ms: number) => short(row.rows === undefined ? ms : row.rows / ms);
  const middle = show(median(times));
  return times.length === 1 ? middle : `${middle} (${show(Math.min(...times))})`;
}

export function short(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en');
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}
