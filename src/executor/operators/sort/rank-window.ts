/**
 * Finds the rows of an order that have the wanted ranks, without sorting the others: the input is read first to count its keys by prefix, until
 * few rows share the prefixes around the wanted ranks. A sort then reads the input once more, and takes only the rows with these prefixes.
 */

import type { Pending } from '#base';
import type { Batch } from '../../batch/batch.ts';
import { batchRowsMax, type Vector } from '../../batch/vector.ts';
import { evaluateBatch, type Kernel } from '../../kernels/kernel.ts';
import type { MemoryReservation } from '../../memory.ts';
import type { OperatorProfile } from '../../operator-profile.ts';
import type { Operator } from '../operator.ts';
import { keysWithin, prefixCount, prefixesOf } from './key-prefix.ts';

/** Base-2 logarithm of the number of counters. */
const counterBits = 19;
const counterBytes = 4;
/** Reading the input again pays if it leaves out more than this part of its rows from the sort. */
const worthwhilePart = 1 / 128;

interface RankSource {
  readonly input: Operator;
  /** The first term of the order, whose evaluation cannot fail. */
  readonly key: Kernel;
  readonly descending: boolean;
  /** Columns of the input that the term reads, and all of them. */
  readonly keyColumns: ReadonlySet<number>;
  readonly columns: ReadonlySet<number>;
  readonly reservation: MemoryReservation;
  /** Bytes of memory that the counters may take. */
  readonly bytesMax: number;
  /** Number of rows that are few enough to be sorted. */
  readonly fewRows: number;
}

/** The ranks from `first` to before `end`; the first row of the order has rank 0. */
interface Ranks {
  readonly first: number;
  readonly end: number;
}

export class RankWindow {
  readonly ranks: Ranks;
  /** Number of rows that sort before the window. */
  before = 0;
  /** Whether the input has no row of a wanted rank. */
  isEmpty = false;
  private readonly source: RankSource;
  /** The prefixes of the window, both included. */
  private from = 0;
  private to = prefixCount - 1;
  private readonly counters: number;
  private counts: Uint32Array | undefined;
  /** Number of prefixes that share a counter. */
  private width = prefixCount;
  /** Whether the window is determined, and the input opened for the rows in it. */
  isFound = false;
  /** Number of rows of the input; undefined until it was read. */
  private total: number | undefined;
  private readonly prefixes = new Uint32Array(batchRowsMax);
  private readonly selection = new Uint32Array(batchRowsMax);
  /** Rows that the operators below had returned before the first reading; rows that are only counted do not count as their output. */
  private returned: ReadonlyMap<OperatorProfile, number> | undefined;

  constructor(source: RankSource, ranks: Ranks) {
    this.source = source;
    this.ranks = ranks;
    const fitting = Math.floor(Math.log2(source.bytesMax / counterBytes));
    this.counters = 2 ** Math.max(1, Math.min(counterBits, fitting));
  }

  /** Starts a run, instead of opening the input. */
  open(): void {
    const { source } = this;
    this.before = 0;
    this.from = 0;
    this.to = prefixCount - 1;
    this.width = prefixCount;
    this.counts = undefined;
    this.isFound = false;
    this.isEmpty = false;
    this.total = undefined;
    this.returned = undefined;
    source.reservation.resize(0);
    source.input.narrowTo?.(source.keyColumns);
    source.input.open();
  }

  /** Determines the window, and opens the input again for the rows in it. After a wait, call it again. */
  find(): Pending | undefined {
    const { input, reservation } = this.source;
    while (!this.isFound) {
      this.counts ??= this.start();
      const batch = input.next(batchRowsMax);
      if (batch instanceof Promise) return batch;
      if (batch !== undefined) this.count(batch, this.counts);
      else this.endReading(this.counts);
    }
    reservation.resize(0);
    return undefined;
  }

  /** Bounds of the keys in the window. Undefined if NULL can be among the keys. */
  get bounds(): { readonly min: number; readonly max: number } | undefined {
    const { from, to } = this;
    const { descending } = this.source;
    const hasNull = descending ? to === prefixCount - 1 : from === 0;
    return hasNull ? undefined : keysWithin(from, to, descending);
  }

  /** Returns the rows of a batch that are in the window. The selection is valid until the next call. */
  select(batch: Batch, keys: Vector): Batch {
    const { from, to, prefixes, selection } = this;
    prefixesOf(keys, batch.selection, batch.count, this.source.descending, prefixes);
    let count = 0;
    for (let i = 0; i < batch.count; i++) {
      const prefix = prefixes[i] as number;
      selection[count] = batch.selection[i] as number;
      if (prefix >= from && prefix <= to) count++;
    }
    return { ...batch, selection, count };
  }

  private start(): Uint32Array {
    this.returned ??= rowsReturned(this.source.input.site);
    while (this.width > 1 && (this.to - this.from + 1) / (this.width / 2) <= this.counters) {
      this.width /= 2;
    }
    this.source.reservation.resize(this.counters * counterBytes);
    return new Uint32Array(this.counters);
  }

  private count(batch: Batch, counts: Uint32Array): void {
    const { source, from, to, prefixes } = this;
    const keys = evaluateBatch(source.key, batch);
    prefixesOf(keys, batch.selection, batch.count, source.descending, prefixes);
    const shift = Math.log2(this.width);
    for (let i = 0; i < batch.count; i++) {
      const prefix = prefixes[i] as number;
      if (prefix < from || prefix > to) continue;
      const counter = (prefix - from) >>> shift;
      counts[counter] = (counts[counter] as number) + 1;
    }
  }

  /** Narrows the window, and opens the input for the next reading. */
  private endReading(counts: Uint32Array): void {
    const { input, keyColumns, columns, fewRows } = this.source;
    const rows = this.narrow(counts);
    const enough = Math.max(fewRows, (this.total as number) * worthwhilePart);
    this.counts = undefined;
    this.isEmpty = rows === 0;
    this.isFound = this.width === 1 || rows <= enough;
    for (const [site, returned] of this.returned as ReadonlyMap<OperatorProfile, number>) {
      site.rowsOut = returned;
    }
    input.close();
    input.narrowTo?.(this.isFound ? columns : keyColumns);
    input.open();
  }

  /** Narrows the window to the counters of the wanted ranks, and returns the number of rows in it. */
  private narrow(counts: Uint32Array): number {
    const { from, to, width } = this;
    const { first, end } = this.ranks;
    let rank = this.before;
    let rows = 0;
    for (let i = 0; i < counts.length; i++) {
      const count = counts[i] as number;
      if (rank + count > first && rank < end) {
        if (rows === 0) {
          this.from = from + i * width;
          this.before = rank;
        }
        this.to = Math.min(to, from + (i + 1) * width - 1);
        rows += count;
      }
      rank += count;
    }
    this.total ??= rank;
    return rows;
  }
}

function rowsReturned(top: OperatorProfile): ReadonlyMap<OperatorProfile, number> {
  const returned = new Map<OperatorProfile, number>();
  const open = [top];
  for (let site = open.pop(); site !== undefined; site = open.pop()) {
    returned.set(site, site.rowsOut);
    open.push(...site.inputs);
  }
  return returned;
}
