/**
 * Rows of an index that are read for several runs of one scan at once: the entries of one key after the other, then all rows in one pass in
 * key order. Runs that find theirs here open no cursor and wait for no block.
 */

import { compareBytes, invariant, type Pending } from '#base';
import type { IndexLayout } from '#layout';
import type { EntryCursor, KeyRange } from '#storage';
import { batchRowsMax, type Datums } from '../../batch/vector.ts';
import type { Holding } from '../../memory.ts';
import type { Site } from '../../site.ts';
import type { QueryRun } from '../operator.ts';
import { batchBytes, rowsOfCells, scanWork } from './batch-size.ts';
import type { Interval } from './interval.ts';
import type { RowDecoder } from './row-decoder.ts';

/** The first rows of one run: positions [from, to) of the columns. */
export interface RunAhead {
  readonly range: KeyRange | undefined;
  from: number;
  to: number;
  /** The run has no other rows. */
  isWhole: boolean;
}

interface Parts {
  readonly run: QueryRun;
  readonly layout: IndexLayout;
  readonly isReverse: boolean;
  readonly interval: Interval;
  readonly decoder: RowDecoder;
  readonly holding: Holding;
  readonly site: Site;
  /** Columns that are read. */
  readonly width: number;
}

/** Of a row that is held, beside its texts: a place in each column, and its key. */
const cellBytes = 16;
const keyBytes = 96;

export class RowsAhead {
  readonly columns: readonly Datums[];
  private readonly parts: Parts;
  private runs: RunAhead[] = [];
  /** Runs in key order, and how many of them have their entries. */
  private order: readonly RunAhead[] | undefined;
  private entered = 0;
  private cursor: EntryCursor | undefined;
  /** Of rows, by position; positions in key order, and how many of them are fetched. */
  private keys: Uint8Array[] = [];
  private positions: readonly number[] | undefined;
  private fetched = 0;
  private bytes = 0;
  private untold = 0;

  constructor(parts: Parts) {
    this.parts = parts;
    this.columns = Array.from({ length: parts.width }, () => []);
  }

  /** Runs of `rows` rows each that one pass may take. */
  runsMax(rows: number): number {
    return Math.floor(Math.min(batchRowsMax, rowsOfCells(this.parts.width)) / rows);
  }

  /** What is held is let go of. */
  drop(): void {
    this.cursor?.close();
    this.cursor = undefined;
    this.runs = [];
    this.order = undefined;
    this.entered = 0;
    this.keys = [];
    this.positions = undefined;
    this.fetched = 0;
    this.bytes = 0;
    this.untold = 0;
    this.parts.holding.resize(0);
  }

  /** A run with the registers as they are now; `read` fills it. */
  offer(): RunAhead {
    const { interval, layout } = this.parts;
    const range = interval.range(layout);
    const run = { range, from: 0, to: 0, isWhole: range === undefined };
    if (range !== undefined) this.runs.push(run);
    return run;
  }

  /** Reads up to `rows` rows of each run that was offered. */
  read(rows: number): Pending | undefined {
    this.parts.run.current = this.parts.site;
    return this.readEntries(rows) ?? this.readRows();
  }

  private readEntries(rows: number): Pending | undefined {
    this.order ??= this.runs.toSorted((a, b) => compareBytes(fromOf(a), fromOf(b)));
    const { order } = this;
    while (this.entered < order.length) {
      const run = order[this.entered] as RunAhead;
      const before = order[this.entered - 1];
      if (before !== undefined && compareBytes(fromOf(before), fromOf(run)) === 0) {
        run.from = before.from;
        run.to = before.to;
        run.isWhole = before.isWhole;
      } else {
        const wait = this.readRun(run, rows);
        if (wait !== undefined) return wait;
      }
      this.entered++;
    }
    return undefined;
  }

  private readRun(run: RunAhead, rows: number): Pending | undefined {
    const { run: query, isReverse, width } = this.parts;
    if (this.cursor === undefined) {
      const wait = query.budget.pause(scanWork(rows * 4, width, 0));
      if (wait !== undefined) return wait;
      const direction = isReverse ? 'backward' : 'forward';
      this.cursor = query.view.scan(run.range as KeyRange, direction);
      run.from = this.keys.length;
    }
    const { cursor } = this;
    while (this.keys.length - run.from < rows) {
      const step = cursor.next();
      if (step instanceof Promise) return step;
      run.isWhole = !step;
      if (run.isWhole) break;
      this.keys.push(this.keyUnder(cursor));
    }
    run.to = this.keys.length;
    cursor.close();
    this.cursor = undefined;
    return undefined;
  }

  private keyUnder({ key, keyFrom, keyTo, value, valueFrom, valueTo }: EntryCursor): Uint8Array {
    return this.parts.layout.rowKeyOfEntry(key, keyFrom, keyTo, value, valueFrom, valueTo);
  }

  /** What has no room any more is left to its run. */
  private readRows(): Pending | undefined {
    const { keys, columns } = this;
    const { run, decoder, holding, width } = this.parts;
    if (this.positions === undefined) {
      this.positions = Array.from(keys, (_, i) => i).sort((a, b) =>
        compareBytes(keys[a] as Uint8Array, keys[b] as Uint8Array),
      );
      holding.resize(keys.length * (keyBytes + width * cellBytes));
    }
    const { positions } = this;
    while (this.fetched < positions.length && this.bytes < batchBytes) {
      if (this.untold >= batchBytes / 8) {
        const pause = run.budget.pause(scanWork(0, 0, this.untold));
        this.untold = 0;
        if (pause !== undefined) return pause;
      }
      const at = positions[this.fetched] as number;
      const key = keys[at] as Uint8Array;
      const found = run.view.find(key);
      if (found instanceof Promise) return found;
      invariant(found !== undefined, 'an index entry has its row');
      const bytes = decoder.decodeFetched(key, found, columns, at);
      this.bytes += bytes;
      this.untold += bytes;
      this.fetched++;
    }
    holding.resize(keys.length * (keyBytes + width * cellBytes) + 2 * this.bytes);
    if (this.fetched < positions.length) this.leaveOut(new Set(positions.slice(this.fetched)));
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

function fromOf({ range }: RunAhead): Uint8Array {
  return (range as KeyRange).from;
}
