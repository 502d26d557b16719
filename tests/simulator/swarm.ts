/** Settings of one seed: each seed is another kind of store, disk and crowd. */

import type { StoreTuning } from '#storage';
import type { Dice } from './dice.ts';

export interface Swarm {
  /** A bucket instead of a directory. */
  readonly isBucket: boolean;
  readonly store: StoreTuning;
  readonly segmentBytes: number;
  readonly writers: number;
  readonly readers: number;
  readonly clients: number;
  /** Operations of all clients together. */
  readonly operations: number;
  readonly thinkMs: number;
  readonly diskMs: number;
  /** How much time passes at each look at the clock. */
  readonly lookMs: number;
  /** The longest of the others. */
  readonly valueBytes: number;
  readonly largeValues: number;
  readonly deletions: number;
  /** Share of the transactions that many others overtake. */
  readonly longTransactions: number;
  /** Ranges of keys that may be given up. */
  readonly plots: number;
  /** Share of the kinds of faults that may happen. */
  readonly faultShare: number;
  /** How long the world goes on between two misfortunes of a whole process. */
  readonly chaosMs: number;
  /** The longest time between two lives of a writer, and the longest life. */
  readonly restMs: number;
  readonly lifeMs: number;
  readonly roomBytes: number;
  /** A few entries are kept beside the tables. */
  readonly keepsEntries: boolean;
  /** Files go, and the disk is full, after the end. */
  readonly isFollowed: boolean;
  /** How often something is taken from the store that the seed leaves behind. */
  readonly losses: number;
  /** Values are bodies of rows, which tables at rest have as columns. */
  readonly holdsRows: boolean;
  /** Share of the lives of writers that keep the programs of their clients. */
  readonly capturing: number;
  /** How often a transaction takes back a part of what it has written. */
  readonly undoing: number;
}

/** Sources of chance for what came later: seeds without it are what they would be without these. */
export interface LaterDice {
  readonly capture: Dice;
  readonly undo: Dice;
  readonly share: Dice;
}

export function anySwarm(dice: Dice, { capture, undo, share }: LaterDice): Swarm {
  const memtableBytes = dice.pick([150, 300, 300, 1000, 4000, 50_000]);
  const isBucket = dice.chance(0.4);
  return {
    isBucket,
    store: {
      memtableBytes,
      unflushedBytesMax: dice.chance(0.8) ? 1 << 30 : memtableBytes * dice.between(20, 60),
      logBytesBeforeFlush: dice.pick([500, 5_000, 1 << 28]),
      flushedTablesMax: dice.pick([2, 3, 4, 8]),
      flushedTablesPerKeyMax: dice.pick([2, 3, 8]),
      flushParallelism: dice.pick([1, 2, 4]),
      logFlushesBeforeFlush: dice.pick([3, 20, 4096]),
      flushIntervalMs: dice.pick([1, 20, 100]),
      scanReadAheadBytes: dice.pick([1, 1000, 262_144]),
      blockBytes: dice.pick([64, 256, 1024, 32_768]),
      tableBytes: dice.pick([300, 1000, 4096, 1 << 20]),
      idleMs: dice.pick([3, 30, 300, 5_000]),
      idleFlushBytesMin: dice.pick([1, 100, 1 << 20]),
      // What one point read needs of all tables that are not local must fit at the same time.
      cacheBytes: isBucket ? 1 << 20 : dice.pick([1, 5_000, 1 << 20]),
      filterKeysMin: dice.pick([1, 1, 8, 1000]),
      bloomBitsPerKey: dice.pick([2, 10]),
      scansFillCache: dice.chance(0.3),
      commitDurability: dice.chance(0.05) ? 'memory' : 'durable',
      // A batch takes half a kilobyte from the first write on.
      writeShareBytes: share.pick([1 << 24, 1 << 24, 100, 700, 1500]),
    },
    segmentBytes: dice.pick([4096, 8192, 16_384, 65_536]),
    writers: dice.pick([1, 1, 2, 2, 3]),
    readers: dice.pick([0, 0, 1, 2]),
    clients: dice.between(1, 5),
    operations: dice.pick([30, 80, 160]),
    thinkMs: dice.pick([0, 0.3, 3, 30]),
    diskMs: dice.pick([0.05, 0.3, 2]),
    lookMs: dice.pick([0.001, 0.05, 1.5]),
    valueBytes: dice.pick([30, 30, 400]),
    largeValues: dice.pick([0, 0, 0.02, 0.1]),
    deletions: dice.pick([0.1, 0.3, 0.6]),
    longTransactions: dice.pick([0, 0.05, 0.2]),
    plots: dice.pick([0, 0, 3, 8]),
    faultShare: dice.pick([0, 0.15, 0.3, 0.5]),
    chaosMs: dice.pick([10, 50, 300]),
    restMs: dice.pick([1, 50, 1_000]),
    lifeMs: dice.pick([20, 200, 5_000]),
    roomBytes: dice.chance(0.15) ? dice.between(60_000, 300_000) : Number.POSITIVE_INFINITY,
    keepsEntries: dice.chance(0.5),
    isFollowed: dice.chance(0.3),
    losses: 2,
    holdsRows: dice.chance(0.4),
    capturing: capture.pick([0, 0, 0, 0.5, 1]),
    undoing: undo.pick([0, 0, 0.3]),
  };
}
