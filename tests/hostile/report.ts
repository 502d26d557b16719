/** The table of an attacked server. */

import type { Part } from './attack.ts';
import type { Waits } from './gauge/phase.ts';
import type { Reading } from './gauge/reading.ts';

export interface Result {
  readonly name: string;
  readonly part: Part;
  readonly got: readonly string[];
  readonly missed: readonly string[];
  /** Of a live attack. */
  readonly reading?: Reading;
}

const columns = [
  ['attack', 26],
  ['time s', 7],
  ['gap held/wall/ran (idle) ms', 28],
  ['points p50/p99/max ms', 22],
  ['peak/limit MiB', 15],
  ['after all/main %', 17],
  ['stop s', 7],
] as const;

export const heading = [
  'gap: longest wait for /livez; held: without the time in which a ready main thread (server or poller) had no processor; this one is judged.',
  'ran: longest stretch that the main thread of the server ran between two answers. (idle): held and wall before the attack, the floor of the poller.',
  'after: share of a processor in the second that begins half a second after the client has left, of all threads (judged) and of the main thread.',
  columns.map(([name, width]) => name.padEnd(width)).join(' '),
].join('\n');

export function lineOf({ name, got, missed, reading }: Result): string {
  const cells = reading === undefined ? [name] : [name, ...cellsOf(reading)];
  const line = cells.map((cell, i) => cell.padEnd(columns[i]?.[1] ?? 0)).join(' ');
  const verdict = missed.length === 0 ? 'ok' : missedLines(missed);
  return `${line} ${verdict}\n    got: ${got.join('; ')}`;
}

/** All of them are in the file of `--json`. */
const linesMax = 12;

function missedLines(missed: readonly string[]): string {
  const shown = missed.slice(0, linesMax).map((what) => `\n    MISSED ${what}`);
  const more = missed.length - shown.length;
  return more > 0 ? `${shown.join('')}\n    MISSED and ${more} more` : shown.join('');
}

function cellsOf(reading: Reading): readonly string[] {
  const { idle, attack, ms } = reading;
  const { livez, points } = attack;
  const floor = `(${round(idle.livez.heldMax)}/${round(idle.livez.max)})`;
  return [
    (ms / 1000).toFixed(1),
    `${round(livez.heldMax)}/${round(livez.max)}/${round(livez.ranMax)} ${floor}`,
    waitsOf(points) + (points.unanswered > 0 ? '+' : ''),
    `${round(reading.peakMib)}/${round(reading.limitMib)}`,
    `${round(reading.after.all * 100)}/${round(reading.after.main * 100)}`,
    reading.stopMs === undefined ? 'killed' : (reading.stopMs / 1000).toFixed(1),
  ];
}

const waitsOf = ({ p50, p99, max }: Waits) => `${round(p50)}/${round(p99)}/${round(max)}`;
const round = (n: number) => `${n < 10 ? Math.round(n * 10) / 10 : Math.round(n)}`;

export function summary(results: readonly Result[]): string {
  const failed = results.filter(({ missed }) => missed.length > 0);
  const names = failed.map(({ name }) => name).join(' ');
  const line = `${results.length} attacks, ${failed.length} missed a goal`;
  return failed.length === 0 ? line : `${line}: ${names}`;
}
