/** Draws a plan as a tree: operators on the left and figures in columns on the right, or below each operator if the terminal is too narrow. */

import type { PlanNode } from '#client';
import type { Paint } from '../frame/paint.ts';
import { count } from '../frame/quantity.ts';
import { whole, wrap } from '../frame/wrap-line.ts';
import { type Measured, type PlanRow, wrongFactor } from './plan-rows.ts';
import { fitted, harmless, milliseconds } from './words.ts';

interface Sheet {
  /** Width of the terminal. */
  readonly columns: number;
  readonly paint: Paint;
  /** Whether the statement was measured. */
  readonly isMeasured: boolean;
  /** Own time from which an operator counts as a main cost. */
  readonly hotMicros: number;
}

interface Column {
  readonly title: string;
  readonly cell: (row: PlanRow) => string;
  readonly style?: (row: PlanRow) => Parameters<Paint>[0] | undefined;
}

/** Minimum width of the column of operators. */
const wordsWidthMin = 30;
const gap = '  ';
/** Indentation of each level of the tree. */
const stepWidth = 3;
/** Indentation of the lines below the first line of an operator. A bar occupies its first column. */
const indent = '    ';

const from: Column = { title: 'from', cell: ({ node }) => node.estimated_from ?? '' };

const estimates: readonly Column[] = [
  { title: 'estimated', cell: ({ node }) => count(node.estimated_rows) },
  from,
];

/** Returns a cell that is empty for an operator that was not measured. */
const ofMeasured =
  (cell: (measured: Measured) => string): Column['cell'] =>
  ({ measured }) =>
    measured === undefined ? '' : cell(measured);

const measures: readonly Column[] = [
  {
    title: 'estimated',
    // Like the rows next to it, the estimate is the total of all runs.
    cell: ({ node, measured }) => count(node.estimated_rows * (measured?.runs ?? 1)),
  },
  from,
  { title: 'rows', cell: ofMeasured(({ rows }) => count(rows)) },
  { title: 'wrong by', cell: ofMeasured(missText), style: () => 'red' },
  { title: 'total ms', cell: ofMeasured(({ totalMicros }) => milliseconds(totalMicros)) },
  {
    title: 'self ms',
    cell: ofMeasured(({ selfMicros }) => milliseconds(selfMicros)),
    style: ({ measured }) => (measured === undefined ? undefined : 'yellow'),
  },
  { title: 'calls', cell: ofMeasured(({ calls }) => count(calls)) },
];

/** Formats a cell for the line below an operator. */
function sentence({ title }: Column, cell: string): string {
  const [, what] = /^(.*) ms$/.exec(title) ?? [];
  return what === undefined ? `${title} ${cell}` : `${what} ${cell} ms`;
}

/** Returns whether the estimate was wrong by at least `wrongFactor`. */
export function isWrong(measured: Measured | undefined): boolean {
  return measured?.miss !== undefined && measured.miss.factor >= wrongFactor;
}

function missText(measured: Measured): string {
  const { miss } = measured;
  if (miss === undefined || !isWrong(measured)) return '';
  return `${count(miss.factor)}\u00d7 ${miss.isMore ? 'more' : 'fewer'}`;
}

export function planLines(rows: readonly PlanRow[], sheet: Sheet): readonly string[] {
  const { columns, paint, isMeasured } = sheet;
  const shown = (isMeasured ? measures : estimates).filter(({ cell }) =>
    rows.some((row) => cell(row) !== ''),
  );
  const cells = rows.map((row) => shown.map(({ cell }) => cell(row)));
  const widths = shown.map(({ title }, i) =>
    Math.max(title.length, mostOf(cells.map((row) => widthOf(row[i] as string)))),
  );
  const figuresWidth = widths.reduce((sum, width) => sum + gap.length + width, 0);
  const isBeside = columns - figuresWidth >= wordsWidthMin;
  const room = isBeside ? columns - figuresWidth : columns;
  const guides = guidesOf(rows, Math.floor(room / 2 / stepWidth));
  const titles = rows.map((row) => titleOf(row));
  const natural = titles.map((title, at) => widthOf((guides[at] as Guides).head) + widthOf(title));
  // If all operators are short, the figures start where the longest of them ends.
  const width = Math.min(room, mostOf(natural));
  const lines: string[] = [];
  if (isBeside) {
    const titles = shown.map(({ title }, i) => gap + aligned(title, widths[i] as number, title));
    lines.push((' '.repeat(width) + titles.join('')).trimEnd());
  }
  rows.forEach((row, at) => {
    const { head, below } = guides[at] as Guides;
    const own = widthOf(head);
    const [title = '', ...more] = fitted(titles[at] as string, width - own, indent);
    // Below the figures, the whole line is available.
    const free = columns - own - indent.length;
    const figures = shown.map((column, i) => ({ column, text: (cells[at] as string[])[i] ?? '' }));
    const blank = ' '.repeat(Math.max(0, width - own - widthOf(title)));
    const beside = figures.map(({ column, text }, i) => {
      const cell = aligned(text, widths[i] as number, column.title);
      return gap + painted(cell, column, row, sheet);
    });
    const first = head + paintedTitle(title, row, paint);
    lines.push((isBeside ? first + blank + beside.join('') : first).trimEnd());
    for (const text of more) lines.push(below + text.slice(1));
    if (!isBeside) {
      const words = figures.flatMap(({ column, text }) =>
        text === '' ? [] : [sentence(column, text)],
      );
      const style = isWrong(row.measured) ? 'red' : 'cyan';
      const broken = wrap(commaed(words).map(whole).join(' '), free);
      for (const text of broken.flatMap((line) => fitted(line, free))) {
        lines.push(below + indent.slice(1) + paint(style, text));
      }
    }
    for (const detail of detailsOf(row)) {
      for (const text of fitted(detail, free, '  ')) {
        lines.push(below + indent.slice(1) + paint('dim', text));
      }
    }
  });
  return lines;
}

function commaed(parts: readonly string[]): readonly string[] {
  return parts.map((part, i) => (i < parts.length - 1 ? `${part},` : part));
}

/** Returns the maximum. A call cannot take thousands of arguments, and a plan can have thousands of operators. */
function mostOf(numbers: readonly number[]): number {
  return numbers.reduce((most, number) => Math.max(most, number), 0);
}

function widthOf(text: string): number {
  return Bun.stringWidth(text);
}

/** Aligns numbers at the right and words at the left. */
function aligned(text: string, width: number, title: string): string {
  return title === 'from' ? text.padEnd(width) : text.padStart(width);
}

function painted(text: string, { title, style }: Column, row: PlanRow, sheet: Sheet): string {
  const wanted = style?.(row);
  if (wanted === undefined || text.trim() === '') return text;
  const isHot = (row.measured?.selfMicros ?? 0) >= sheet.hotMicros;
  return title === 'self ms' && !isHot ? text : sheet.paint(wanted, text);
}

interface Guides {
  /** Prefix of the first line of an operator. `below` is the prefix of its other lines, one column wider for the bar. */
  readonly head: string;
  readonly below: string;
  /** Prefix of the operators below. */
  readonly stem: string;
}

/** Returns the prefixes of all operators. An operator deeper than `depthMax` is drawn at that depth with its depth as a number. */
function guidesOf(rows: readonly PlanRow[], depthMax: number): readonly Guides[] {
  const guides: Guides[] = [];
  for (const { depth, isLast, above, node } of rows) {
    const bar = node.inputs.length > 0 ? '\u2502' : ' ';
    const lead = guides[above]?.stem ?? '';
    if (above < 0) {
      guides.push({ head: '', below: bar, stem: '' });
    } else if (depth > depthMax) {
      const stem = lead.slice(0, depthMax * stepWidth);
      const head = `${stem}${depth}: `;
      guides.push({ head, below: ' '.repeat(head.length + 1), stem });
    } else {
      const stem = lead + (isLast ? '   ' : '\u2502  ');
      const head = lead + (isLast ? '\u2514\u2500 ' : '\u251c\u2500 ');
      guides.push({ head, below: stem + bar, stem });
    }
  }
  return guides;
}

/** The details in the title of an operator: its object, and for joins the kind and the condition. */
const titles: Readonly<Record<string, readonly string[]>> = {
  scan: ['table'],
  filter: ['predicate'],
  project: ['fields'],
  hash_join: ['join', 'on'],
  merge_join: ['join', 'on'],
  lookup_join: ['join', 'registers'],
  loop_join: ['join', 'on'],
  sort: ['terms'],
  slice: ['offset', 'limit'],
  aggregate: ['groups', 'folds'],
  attach: ['crossings'],
  materialized: ['of'],
  frontier: ['of'],
  intersect: ['quantifier'],
  except: ['quantifier'],
};
/** Details whose name is shown together with the value. */
const named = new Set(['offset', 'limit', 'on', 'quantifier']);

function titleOf({ node, measured }: PlanRow): string {
  const words = [node.operator.replaceAll('_', ' ')];
  for (const name of titles[node.operator] ?? []) {
    const text = textOf(node.details[name]);
    if (text !== '') words.push(named.has(name) ? `${name} ${text}` : text);
  }
  if (measured !== undefined && measured.runs !== 1) {
    words.push(measured.runs === 0 ? '(never run)' : `(${count(measured.runs)} runs)`);
  }
  if (measured?.isComplete === false && measured.runs > 0) words.push('(stopped from above)');
  return harmless(words.join(' '));
}

function paintedTitle(text: string, { node }: PlanRow, paint: Paint): string {
  const operator = node.operator.replaceAll('_', ' ');
  return text.startsWith(operator) ? paint('bold', operator) + text.slice(operator.length) : text;
}

function detailsOf({ node }: PlanRow): readonly string[] {
  const { details, order, rows_max: rowsMax } = node;
  const shown = titles[node.operator] ?? [];
  const lines = Object.entries(details).flatMap(([name, value]) => {
    const text = textOf(value);
    return shown.includes(name) || text === '' ? [] : [`${name.replaceAll('_', ' ')}: ${text}`];
  });
  if (order !== undefined && order.length > 0) lines.push(`ordered by: ${order.join(', ')}`);
  if (rowsMax !== undefined) lines.push(`at most: ${count(rowsMax)}`);
  return lines.map(harmless);
}

function textOf(value: PlanNode['details'][string] | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'object' ? value.join(', ') : String(value);
}
