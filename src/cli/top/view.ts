/** Formats the lines of `svc top`. */

import type { Paint } from '../frame/paint.ts';
import { size } from '../frame/quantity.ts';
import { whole, wrap } from '../frame/wrap-line.ts';
import type { TopFacts } from './facts.ts';

const labelWidth = 12;

type Row = readonly [label: string, parts: readonly string[]];

/** Returns lines of at most `columns` columns. */
export function topLines(title: string, facts: TopFacts, columns: number, paint: Paint): string[] {
  const rows = [...programRows(facts, paint), ...storeRows(facts, paint)];
  return [paint('bold', cut(title, columns)), '', ...rows.flatMap((row) => wrapped(row, columns))];
}

function programRows(
  { requests, programs, admission, process }: TopFacts,
  paint: Paint,
): readonly Row[] {
  return [
    [
      'requests',
      [
        `${count(requests.rate)}/s`,
        `${count(requests.refused)}/s refused`,
        alarming(requests.failed, `${count(requests.failed)}/s failed`, paint),
        `${count(requests.active)} active`,
        `${count(requests.connections)} connections`,
      ],
    ],
    [
      'programs',
      [
        `${count(programs.active)} running`,
        `${count(programs.rate)}/s ended`,
        `p50 ${time(programs.p50)}`,
        `p95 ${time(programs.p95)}`,
        `p99 ${time(programs.p99)}`,
        `${count(programs.failed)}/s failed`,
        `${count(programs.rows)} rows/s`,
        `${share(programs.known)} template hits`,
      ],
    ],
    [
      'admission',
      [
        `${count(admission.point)}/s point reads`,
        `${count(admission.query)}/s queries`,
        `${count(admission.heavy)}/s heavy`,
        `waiting: ${count(admission.queued)} for a slot`,
        `${count(admission.slice)} for a slice`,
        `${count(admission.storage)} for storage`,
        `${count(admission.exclusive)} for an exclusive commit`,
        `${count(admission.ended)}/s ended`,
      ],
    ],
    [
      'process',
      [
        `${(process.processors * 100).toFixed(0)} % of a CPU`,
        `${size(process.residentBytes)} resident`,
        `${size(process.programBytes)} in programs (peak ${size(process.programPeakBytes)})`,
        `${size(process.spillBytes)} of ${size(process.spillLimitBytes)} spilled`,
      ],
    ],
  ];
}

function storeRows(
  { caches, commits, store, transitions }: TopFacts,
  paint: Paint,
): readonly Row[] {
  return [
    ['data cache', cacheParts(caches.data)],
    ['metadata', cacheParts(caches.metadata)],
    [
      'commits',
      [
        `${count(commits.rate)}/s`,
        `${count(commits.keys)} keys/s`,
        `${count(commits.conflicts)}/s conflicts`,
        `log ${size(commits.logBytes)}/s in ${count(commits.groups)} groups/s`,
        `${count(commits.held)}/s delayed`,
      ],
    ],
    [
      'memtables',
      [count(store.memtables), size(store.memtableBytes), `${count(store.flushes)} flushes`],
    ],
    [
      'SSTables',
      [
        `${count(store.tables)} in ${count(store.runs)} runs`,
        size(store.tableBytes),
        `${count(store.merges)} compactions running (${size(store.mergeBytes)}/s), ${count(store.merged)} done`,
        `write amplification ${store.amplification.toFixed(1)}`,
        ...(store.damaged > 0 ? [paint('red', `${count(store.damaged)} damaged`)] : []),
        ...(store.isAvailable ? [] : [paint('red', 'the storage does not respond')]),
      ],
    ],
    [
      'transitions',
      [
        `${count(transitions.active)} running`,
        `${count(transitions.waiting)} waiting`,
        alarming(transitions.failed, `${count(transitions.failed)} failed`, paint),
      ],
    ],
  ];
}

function cacheParts({ hits, bytes, capacityBytes }: TopFacts['caches']['data']): readonly string[] {
  return [`${share(hits)} hits`, `${size(bytes)} of ${size(capacityBytes)}`];
}

/** Wraps the parts of a row to several lines if they exceed the width. */
function wrapped([label, parts]: Row, columns: number): string[] {
  const text = parts.map(whole).join('   ');
  const lines = wrap(text, columns, { lead: label.padEnd(labelWidth) });
  return lines.map((one) => (Bun.stringWidth(one) > columns ? cut(one, columns) : one));
}

function cut(text: string, columns: number): string {
  return text.slice(0, Math.max(1, columns));
}

function alarming(value: number, text: string, paint: Paint): string {
  return value > 0 ? paint('red', text) : text;
}

/** Formats a number, such as `1,234`. A number below ten that is not an integer has one decimal. */
function count(value: number): string {
  const isSmall = value < 10 && !Number.isInteger(value);
  const rounded = isSmall ? Math.round(value * 10) / 10 : Math.round(value);
  return rounded.toLocaleString('en-US');
}

/** Formats the upper bound of a bucket in the unit that needs no leading zero. */
function time(seconds: number | undefined): string {
  if (seconds === undefined) return '–';
  if (seconds === Number.POSITIVE_INFINITY) return '> 120 s';
  if (seconds < 0.001) return `≤ ${Math.round(seconds * 1e6)} µs`;
  return seconds < 1 ? `≤ ${seconds * 1000} ms` : `≤ ${seconds} s`;
}

function share(part: number | undefined): string {
  return part === undefined ? '–' : `${(part * 100).toFixed(0)} %`;
}
