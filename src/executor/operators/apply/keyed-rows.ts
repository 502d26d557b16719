/**
 * Reads the rows of many keys together for a window of outer rows. In an index, it reads the entries of one key after the other, then all rows in
 * one pass in key order.
 */

import { compareBytes, invariant, type Pending } from '#base';
import { type IndexLayout, indexLayout, type TableLayout, tableLayout } from '#layout';
import type { ScanPlan } from '#planner';
import type { EntryCursor, KeyRange } from '#storage';
import { batchRowsMax, type Datums } from '../../batch/vector.ts';
import type { MemoryReservation } from '../../memory.ts';
import type { OperatorProfile } from '../../operator-profile.ts';
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
  /**
   * Number of the run in key order, defined once it is read; runs of one key have one number. The number is -1 if the interval of the run is
   * empty.
   */
  number: number;
  from: number;
  to: number;
  /** Whether the run has no other rows. */
  isWhole: boolean;
}

/** The access path to the rows: by their keys, by keys that are read from an index, or in the entries themselves. */
type Way =
  | { readonly kind: 'keys'; readonly layout: TableLayout; readonly rows: RowFetch }
  | {
      readonly kind: 'index';
      readonly layout: IndexLayout;
      readonly rows: RowFetch;
      /** Whether a key has one entry at most. */
      readonly isUnique: boolean;
    }
  | {
      readonly kind: 'entries';
      readonly layout: TableLayout | IndexLayout;
      readonly decoder: RowDecoder | EntryDecoder;
    };

type IndexWay = Extract<Way, { readonly kind: 'index' }>;

/** Bytes of a row in memory, without its texts: a place in each column (`cellBytes`), and its key (`keyBytes`). */
const cellBytes = 16;
const keyBytes = 96;

export class KeyedRows {
  readonly columns: readonly Datums[];
  private readonly run: QueryRun;
  private readonly site: OperatorProfile;
  private readonly way: Way;
  private readonly interval: Interval;
  private readonly isReverse: boolean;
  private readonly reservation: MemoryReservation;
  /** Number of columns that are read. */
  private readonly width: number;
  private runs: KeyRun[] = [];
  /** Runs in key order, and the number of them whose entries are read. */
  private order: readonly KeyRun[] | undefined;
  private entered = 0;
  private cursor: EntryCursor | undefined;
  /** Number of rows that have a position. */
  private count = 0;
  /** Bytes of rows that are decoded from entries. */
  private bytes = 0;

  /** Reads rows for the scan `plan`, whose operator has the profile `site`. */
  constructor(plan: ScanPlan, run: QueryRun, site: OperatorProfile) {
    const { access } = plan;
    invariant(access.kind !== 'table', 'rows are read ahead by key');
    this.run = run;
    this.site = site;
    this.way = wayOf(plan, run);
    this.interval = new Interval(access.interval, run.frame);
    this.isReverse = plan.reverse;
    this.reservation = run.memory.reservation(site);
    this.width = plan.columns.length;
    this.columns = plan.columns.map(() => []);
  }

  /** Returns the number of runs, each with `rows` rows, that one pass may read. */
  runsMax(rows: number): number {
    return Math.floor(Math.min(batchRowsMax, rowsOfCells(this.width)) / rows);
  }

  /** Releases all runs and rows. */
  drop(): void {
    this.cursor?.close();
    this.cursor = undefined;
    this.runs = [];
    this.order = undefined;
    this.entered = 0;
    this.count = 0;
    if (this.way.kind !== 'entries') this.way.rows.clear();
    this.bytes = 0;
    this.reservation.resize(0);
  }

  /** Returns a run for the present registers; `read` fills it. */
  offer(): KeyRun {
    const range = this.interval.range(this.way.layout);
    const run = { range, number: -1, from: 0, to: 0, isWhole: range === undefined };
    if (range !== undefined) this.runs.push(run);
    return run;
  }

  /** Reads up to `rows` rows of each run that was offered. After a wait, call it again. */
  read(rows: number): Pending | undefined {
    this.run.current = this.site;
    const wait = this.readEntries(rows);
    if (wait !== undefined || this.way.kind === 'entries') return wait;
    return this.readRows(this.way.rows);
  }

  /** Returns the offered runs in key order; runs of one key refer to the same rows. */
  inOrder(): readonly KeyRun[] {
    if (this.order === undefined) {
      const { runs } = this;
      const keys: Uint8Array[] = [];
      for (let i = 0; i < runs.length; i++) keys.push(fromOf(runs[i] as KeyRun));
      const positions = keyPositions(keys);
      const order: KeyRun[] = [];
      for (let i = 0; i < runs.length; i++) order.push(runs[positions[i] as number] as KeyRun);
      this.order = order;
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
      this.reservation.resize((this.count + 1) * this.width * cellBytes + 2 * this.bytes);
    } else if (way.kind === 'index') {
      const { key, keyFrom, keyTo, value, valueFrom, valueTo } = cursor;
      way.rows.keys.push(way.layout.rowKeyOfEntry(key, keyFrom, keyTo, value, valueFrom, valueTo));
    }
    this.count++;
  }

  /** Reads the rows of the keys. Rows that exceed `batchBytes` are left to the runs that need them. */
  private readRows(rows: RowFetch): Pending | undefined {
    const { reservation, width } = this;
    const held = rows.keys.length * (keyBytes + width * cellBytes);
    reservation.resize(held);
    const wait = rows.fetch(this.columns, batchBytes);
    if (wait !== undefined) return wait;
    reservation.resize(held + 2 * rows.bytes);
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
