/** Entries in key order, in memory or on the local disk. They can be read several times, a piece at a time. */

import { equalBytes, type Steps } from '#base';
import type { MemoryReservation } from '../memory.ts';
import type { ProgramFile } from '../spill/program-spill.ts';
import { EntryBuffer } from './entry-buffer.ts';
import { EntryMerge } from './entry-merge.ts';
import type { EntryRun } from './entry-run.ts';
import { ownOrder } from './key-order.ts';
import type { MutationContext } from './mutation-context.ts';

/** Limits of a piece that is read from disk. */
const pieceEntries = 16_384;
const pieceBytes = 1 << 20;
/** Number of entries that are merged between two pauses. */
const stepEntries = 256;

interface Sorted {
  readonly run: EntryBuffer;
  /** The numbers of the entries in key order. */
  readonly order: Uint32Array;
}

interface Source {
  readonly mutationContext: MutationContext;
  readonly reservation: MemoryReservation;
  readonly memory?: Sorted;
  readonly disk?: {
    readonly runs: readonly EntryRun[];
    readonly file: ProgramFile | undefined;
    readonly sharedBytes: number;
    readonly prefixLength: number;
    /** Bytes of memory of the runs. */
    readonly bytes: number;
  };
}

/** Entries that follow each other in key order. */
export class SortedPiece implements Sorted {
  readonly run: EntryBuffer;
  readonly order: Uint32Array;
  private readonly release: () => void;
  private readonly before: Uint8Array | undefined;

  /** `release` releases the reserved memory of the entries. `before` is the last key of the piece before this one. */
  constructor({ run, order }: Sorted, release: () => void, before?: Uint8Array) {
    this.run = run;
    this.order = order;
    this.release = release;
    this.before = before;
  }

  /** Writes the entries. Their memory belongs to the transaction from then on. */
  *put(mutationContext: MutationContext): Steps<void> {
    const { run, order } = this;
    run.handOver(mutationContext);
    this.release();
    yield* run.putAll(order, mutationContext);
    yield* mutationContext.relieve();
  }

  /** Returns whether the entry at position `i` of the order has the same key as the entry before it. */
  isRepeated(i: number): boolean {
    const { run, order, before } = this;
    const at = order[i] as number;
    if (i > 0) return run.isRepeated(order[i - 1] as number, at);
    return before !== undefined && equalBytes(before, run.key(at));
  }
}

export class EntryList {
  private readonly source: Source;

  constructor(source: Source) {
    this.source = source;
  }

  /** Calls `visit` for each piece in order. A piece may be handed over to the transaction, if the list is not read again. */
  *eachPiece(visit: (piece: SortedPiece) => Steps<void>): Steps<void> {
    const { memory, disk, reservation } = this.source;
    if (memory !== undefined && memory.order.length > 0) {
      yield* visit(new SortedPiece(memory, () => reservation.resize(0)));
    }
    if (disk === undefined) return;
    const merge = new EntryMerge(disk.runs, disk.sharedBytes);
    const bytes = disk.bytes + 2 * disk.runs.length * (disk.file?.blockBytes ?? 0);
    const release = () => reservation.resize(bytes);
    let before: Uint8Array | undefined;
    while (merge.current !== undefined) {
      const run = yield* this.filled(merge, disk.prefixLength);
      reservation.resize(bytes + run.heldBytes);
      const last = run.key(run.count - 1).slice();
      yield* visit(new SortedPiece({ run, order: ownOrder(run.count) }, release, before));
      before = last;
    }
    reservation.resize(disk.bytes);
  }

  /** Releases the memory and the disk space. */
  close(): void {
    this.source.disk?.file?.close();
    this.source.reservation.resize(0);
  }

  /** Returns the next entries. */
  private *filled(merge: EntryMerge, prefixLength: number): Steps<EntryBuffer> {
    const { mutationContext } = this.source;
    const run = new EntryBuffer(prefixLength);
    const bytesMax = Math.min(pieceBytes, mutationContext.run.memory.shareBytes);
    while (run.count < pieceEntries && run.writtenBytes < bytesMax && merge.current !== undefined) {
      const pause = mutationContext.pause(stepEntries);
      if (pause !== undefined) yield pause;
      move(merge, run, bytesMax);
    }
    return run;
  }
}

/** Moves a few entries to the end of `target`. */
function move(merge: EntryMerge, target: EntryBuffer, bytesMax: number): void {
  for (let i = 0; i < stepEntries && target.writtenBytes < bytesMax; i++) {
    const { current } = merge;
    if (current === undefined) return;
    target.addCopy(current.bytes, current.keyFrom, current.keyTo, current.valueTo);
    merge.advance();
  }
}
