/**
 * Reads the input of a mutation in chunks, so that memory contains the old and new rows of one chunk only. Between two chunks the transaction may
 * write to disk what it holds.
 */

import type { Steps } from '#base';
import { DatabaseError } from '#failure';
import { RowStore } from '../batch/row-store.ts';
import { batchRowsMax } from '../batch/vector.ts';
import type { RowList, RowReader } from '../spill/row-list.ts';
import type { MutationContext } from './mutation-context.ts';

/** Rows of the first chunk, and of any chunk. */
const rowsAtFirst = 1024;
const rowsMax = 1 << 15;
/** The part of the share of an operator that a chunk may take, with everything that is derived from its rows. */
const partOfShare = 1 / 4;
/** Memory that a row is assumed to take before the first chunk has shown it. */
const rowBytesAtFirst = 256;

/** Visits a chunk. `from` is the number of its first row, and `isLast` states whether no chunk follows. */
type Visit = (chunk: RowStore, from: number, isLast: boolean) => Steps<void>;

/**
 * Calls `visit` for each chunk, in input order; for none if the input is empty. In its failures, the numbers of rows count from the start of the
 * chunk. The memory that `visit` holds is released after it.
 */
export function* eachChunk(
  mutationContext: MutationContext,
  input: RowList,
  visit: Visit,
): Steps<void> {
  const reader = input.reader();
  const size = new ChunkSize(mutationContext);
  while (reader.at < input.length) {
    const from = reader.at;
    yield* size.spend(function* () {
      const chunk = yield* nextChunk(mutationContext, reader, size.rows, size.bytesMax);
      try {
        yield* visit(chunk, from, reader.at === input.length);
      } catch (error) {
        throw inInput(error, from);
      }
      return chunk.length;
    });
  }
}

/** The number of rows of the next chunk, which the chunks before it have shown to fit into memory. */
export class ChunkSize {
  rows: number;
  readonly bytesMax: number;
  private readonly mutationContext: MutationContext;

  constructor(mutationContext: MutationContext) {
    this.mutationContext = mutationContext;
    this.bytesMax = mutationContext.run.memory.shareBytes * partOfShare;
    this.rows = Math.max(1, Math.min(rowsAtFirst, Math.floor(this.bytesMax / rowBytesAtFirst)));
  }

  /**
   * Runs the work on a chunk, which returns its number of rows. Then releases the memory that the work holds, and lets the transaction write to
   * disk.
   */
  *spend(work: () => Steps<number>): Steps<void> {
    const { mutationContext, bytesMax } = this;
    const before = mutationContext.heldBytes;
    const rows = yield* work();
    const bytes = Math.max(1, mutationContext.heldBytes - before);
    mutationContext.release(bytes);
    yield* mutationContext.relieve();
    this.rows = Math.max(1, Math.min(rowsMax, Math.floor((rows * bytesMax) / bytes)));
  }
}

/** Returns whether `allAtOnce` needs no more memory than a chunk. */
export function isOneChunk({ run }: MutationContext, input: RowList): boolean {
  return !input.isSpilled && input.bytes <= run.memory.shareBytes * partOfShare;
}

/** Calls `visit` once, for all rows. */
export function* allAtOnce(
  mutationContext: MutationContext,
  input: RowList,
  visit: Visit,
): Steps<void> {
  const all = Number.POSITIVE_INFINITY;
  const chunk = yield* nextChunk(mutationContext, input.reader(), all, all);
  yield* visit(chunk, 0, true);
}

/** Reads and holds the next rows: `rows`, or fewer that take `bytesMax`. */
function* nextChunk(
  mutationContext: MutationContext,
  reader: RowReader,
  rows: number,
  bytesMax: number,
): Steps<RowStore> {
  const chunk = new RowStore(reader.types);
  while (chunk.length < rows && chunk.bytes < bytesMax) {
    const pause = mutationContext.pause(Math.min(batchRowsMax, rows));
    if (pause !== undefined) yield pause;
    const batch = reader.read(rows - chunk.length);
    if (batch === undefined) break;
    chunk.append(batch);
  }
  mutationContext.hold(chunk.bytes);
  return chunk;
}

/** Returns the failure with the number of its row in the whole input, for a chunk that starts at row `from`. */
export function inInput(error: unknown, from: number): unknown {
  if (from === 0 || !(error instanceof DatabaseError)) return error;
  const { failure } = error;
  if (failure.inputRow === undefined) return error;
  return new DatabaseError({ ...failure, inputRow: failure.inputRow + from }, error);
}
