/**
 * Rows of many keys, read at once for a window of outer rows: of an index the entries of one key after the other, then all rows in one pass in
 * key order.
 */

import { compareBytes, invariant, type Pending } from '#base';
import { type IndexLayout, indexLayout, type TableLayout, tableLayout } from '#layout';
import type { ScanPlan } from '#planner';
import type { EntryCursor, KeyRange } from '#storage';
import { batchRowsMax, type Datums } from '../../batch/vector.ts';
import type { Holding } from '../../memory.ts';
import type { Site } from '../../site.ts';
import type { QueryRun } from '../operator.ts';
import { batchBytes, rowsOfCells, scanWork } from '../scan/batch-size.ts';
import { EntryDecoder } from '../scan/entry-decoder.ts';
import { Interval } from '../scan/interval.ts';
import { keyPositions } from '../scan/key-positions.ts';
import { RowDecoder } from '../scan/row-decoder.ts';
import { RowFetch } from '../scan/row-fetch.ts';

/** The first rows of one run: positions [from, to) of the columns. */
export interface KeyRun {
  readonly range: KeyRange | undefined;
  /** In key order, once it is read; runs of one key have one number. -1: its interval is empty. */
  number: number;
  from: number;
  to: number;
  /** The run has no other rows. */
  isWhole: boolean;
}

/** How rows are found: by their keys, by keys that are read of an index, or in the entries themselves. */
type Way =
  | { readonly kind: 'keys'; readonly layout: TableLayout; readonly rows: RowFetch }
  | {
      readonly kind: 'index';
      readonly layout: IndexLayout;
      readonly rows: RowFetch;
      /** A key has one entry at most. */
      readonly isUnique: boolean;
    }
  | {
      readonly kind: 'entries';
      readonly layout: TableLayout | IndexLayout;
      readonly decoder: RowDecoder | EntryDecoder;
    };

type IndexWay = Extract<Way, { readonly kind: 'index' }>;

/** Of a row that is held, beside its texts: a place in each column, and its key. */
const cellBytes = 16;
const keyBytes = 96;

export class KeyedRows {
  readonly columns: readonly Datums[];
  private readonly run: QueryRun;
  private readonly site: Site;
  private readonly way: Way;
  private readonly interval: Interval;
  private readonly isReverse: boolean;
  private readonly holding: Holding;
  /** Columns that are read. */
  private readonly width: number;
  private runs: KeyRun[] = [];
  /** Runs in key order, and how many of them have their entries. */
  private order: readonly KeyRun[] | undefined;
  private entered = 0;
  private cursor: EntryCursor | undefined;
  /** Rows that have a position. */
  private count = 0;
  /** Of rows that lie in the entries. */
  private bytes = 0;

  /** Rows of the scan, which is at work at `site`. */
  constructor(plan: ScanPlan, run: QueryRun, site: Site) {
    const { access } = plan;
    invariant(access.kind !== 'table', 'rows are read ahead by key');
    this.run = run;
    this.site = site;
    this.way = wayOf(plan, run);
    this.interval = new Interval(access.interval, run.frame);
    this.isReverse = plan.reverse;
    this.holding = run.memory.holding(site);
    this.width = plan.columns.length;
    this.columns = plan.columns.map(() => []);
  }

  /** Runs of `rows` rows each that one pass may take. */
  runsMax(rows: number): number {
    return Math.floor(Math.min(batchRowsMax, rowsOfCells(this.width)) / rows);
  }

  /** What is held is let go of. */
  drop(): void {
    this.cursor?.close();
    this.cursor = undefined;
    this.runs = [];
    this.order = undefined;
    this.entered = 0;
    this.count = 0;
    if (this.way.kind !== 'entries') this.way.rows.clear();
    this.bytes = 0;
    this.holding.resize(0);
  }

  /** A run with the registers as they are now; `read` fills it. */
  offer(): KeyRun {
    const range = this.interval.range(this.way.layout);
    const run = { range, number: -1, from: 0, to: 0, isWhole: range === undefined };
    if (range !== undefined) this.runs.push(run);
    return run;
  }

  /** Reads up to `rows` rows of each run that was offered. */
  read(rows: number): Pending | undefined {
    this.run.current = this.site;
    const wait = this.readEntries(rows);
    if (wait !== undefined || this.way.kind === 'entries') return wait;
    return this.readRows(this.way.rows);
  }

  /** The runs that were offered, in key order; those of one key lead to the same rows. */
  inOrder(): readonly KeyRun[] {
    if (this.order === undefined) {
      const positions = keyPositions(this.runs.map(fromOf));
      this.order = Array.from(positions, (at) => this.runs[at] as KeyRun);
    }
    return this.order;
  }

  private readEntries(rows: number): Pending | undefined {
    const order = this.inOrder();
    while (this.entered < order.length) {
      const run = order[this.entered] as KeyRun;
      const before = order[this.entered - 1];
      const isRepeated = before !== undefined && isOfOneKey(before, run);
      run.number = before === undefined ? 0 : before.number + (isRepeated ? 0 : 1);
      if (isRepeated) {
        run.from = before.from;
        run.to = before.to;
        run.isWhole = before.isWhole;
      } else if (this.way.kind === 'keys') {
        run.from = this.count;
        run.to = ++this.count;
        run.isWhole = true;
        this.way.rows.keys.push(fromOf(run));
      } else {
        const { way } = this;
        const isOne = way.kind === 'index' && way.isUnique;
        const wait = isOne ? this.readOne(run, way) : this.readRun(run, rows);
        if (wait !== undefined) return wait;
      }
      this.entered++;
    }
    return undefined;
  }

  private readOne(run: KeyRun, { layout, rows }: IndexWay): Pending | undefined {
    const key = fromOf(run);
    const entry = this.run.view.get(key);
    if (entry instanceof Promise) return entry;
    run.from = this.count;
    run.isWhole = true;
    if (entry !== undefined) {
      rows.keys.push(layout.rowKeyOfEntry(key, 0, key.length, entry, 0, entry.length));
      this.count++;
    }
    run.to = this.count;
    return undefined;
  }

  private readRun(run: KeyRun, rows: number): Pending | undefined {
    const { run: query, isReverse, width } = this;
    if (this.cursor === undefined) {
      const wait = query.budget.pause(scanWork(rows * 4, width, 0));
      if (wait !== undefined) return wait;
      const direction = isReverse ? 'backward' : 'forward';
      this.cursor = query.view.scan(run.range as KeyRange, direction);
      run.from = this.count;
    }
    const { cursor } = this;
    while (this.count - run.from < rows && this.bytes < batchBytes) {
      const step = cursor.next();
      if (step instanceof Promise) return step;
      run.isWhole = !step;
      if (run.isWhole) break;
      this.take(cursor);
    }
    run.to = this.count;
    cursor.close();
    this.cursor = undefined;
    return undefined;
  }

  private take(cursor: EntryCursor): void {
    const { way } = this;
    if (way.kind === 'entries') {
      way.decoder.decode(cursor, this.columns, this.count);
      this.bytes += cursor.keyTo - cursor.keyFrom + cursor.valueTo - cursor.valueFrom;
      this.holding.resize((this.count + 1) * this.width * cellBytes + 2 * this.bytes);
    } else if (way.kind === 'index') {
      const { key, keyFrom, keyTo, value, valueFrom, valueTo } = cursor;
      way.rows.keys.push(way.layout.rowKeyOfEntry(key, keyFrom, keyTo, value, valueFrom, valueTo));
    }
    this.count++;
  }

  /** What has no room any more is left to its run. */
  private readRows(rows: RowFetch): Pending | undefined {
    const { holding, width } = this;
    const held = rows.keys.length * (keyBytes + width * cellBytes);
    holding.resize(held);
    const wait = rows.fetch(this.columns, batchBytes);
    if (wait !== undefined) return wait;
    holding.resize(held + 2 * rows.bytes);
    if (rows.rest.length > 0) this.leaveOut(new Set(rows.rest));
    if (rows.absent.length > 0) {
      invariant(this.way.kind === 'keys', 'an index entry has its row');
      const absent = new Set(rows.absent);
      for (const read of this.runs) if (absent.has(read.from)) read.to = read.from;
    }
    return undefined;
  }

  private leaveOut(positions: ReadonlySet<number>): void {
    for (const run of this.runs) {
      for (let at = run.from; at < run.to; at++) {
        if (!positions.has(at)) continue;
        run.to = at;
        run.isWhole = false;
      }
    }
  }
}

function wayOf(plan: ScanPlan, run: QueryRun): Way {
  const { access, table, columns } = plan;
  if (access.kind === 'index') {
    const layout = indexLayout(table, access.index);
    if (plan.isCovered) {
      return { kind: 'entries', layout, decoder: new EntryDecoder(plan, access.index) };
    }
    const isUnique = plan.point !== undefined;
    const rows = new RowFetch(new RowDecoder(table, columns), run);
    return { kind: 'index', layout, rows, isUnique };
  }
  const layout = tableLayout(table);
  const decoder = new RowDecoder(table, columns);
  return plan.point === undefined
    ? { kind: 'entries', layout, decoder }
    : { kind: 'keys', layout, rows: new RowFetch(decoder, run) };
}

function isOfOneKey(left: KeyRun, right: KeyRun): boolean {
  return compareBytes(fromOf(left), fromOf(right)) === 0;
}

function fromOf({ range }: KeyRun): Uint8Array {
  return (range as KeyRange).from;
}
