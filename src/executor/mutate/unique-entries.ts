/**
 * New entries of unique indexes. They are checked and written after all old entries of the statement have been removed, so that rows may exchange
 * values.
 */

import type { Steps } from '#base';
import type { IndexLayout } from '#layout';
import type { EntryList, SortedPiece } from './entry-list.ts';
import { EntrySort } from './entry-sort.ts';
import type { MutationContext } from './mutation-context.ts';
import { checkUniquePiece } from './unique-check.ts';

/** The part of the share of an operator that the entries of one index may take. */
const partOfShare = 1 / 8;

/** An index entry, as the layout of the index encodes it from a row. */
export interface IndexEntry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** Returns the number of the input row with this key; undefined if the rows are not those of the input. */
type RowNumber = (rowKey: Uint8Array) => Steps<number | undefined>;

export class UniqueEntries {
  private readonly mutationContext: MutationContext;
  private readonly expected: number;
  private readonly sorts = new Map<IndexLayout, EntrySort>();

  /** `expected` is the number of rows. */
  constructor(mutationContext: MutationContext, expected: number) {
    this.mutationContext = mutationContext;
    this.expected = expected;
  }

  /** Adds an entry, whose tuple must have no NULL. Returns steps if memory does not hold the entries any more. */
  add(layout: IndexLayout, { key, value }: IndexEntry): Steps<void> | undefined {
    const sort = this.sorts.get(layout) ?? this.opened(layout);
    const { writer } = sort;
    writer.append(key);
    const keyTo = writer.length;
    writer.append(value);
    sort.added(keyTo);
    return sort.isOver ? sort.spill() : undefined;
  }

  /** Checks and writes the entries. `rowNumber` finds the row of a failure. */
  *finish(rowNumber: RowNumber): Steps<void> {
    for (const [layout, sort] of this.sorts) {
      const entries: EntryList = yield* sort.finish();
      yield* entries.eachPiece((piece) => this.write(layout, piece, rowNumber));
      entries.close();
    }
  }

  private opened(layout: IndexLayout): EntrySort {
    const sort = new EntrySort(this.mutationContext, {
      prefixLength: layout.range.from.length,
      expected: this.expected,
      part: partOfShare,
    });
    this.sorts.set(layout, sort);
    return sort;
  }

  private *write(layout: IndexLayout, piece: SortedPiece, rowNumber: RowNumber): Steps<void> {
    const { mutationContext } = this;
    yield* checkUniquePiece(mutationContext, layout, piece, function* (at) {
      const key = piece.run.key(at);
      const value = piece.run.value(at);
      const rowKey = layout.rowKeyOfEntry(key, 0, key.length, value, 0, value.length);
      return yield* rowNumber(rowKey);
    });
    yield* piece.put(mutationContext);
  }
}
