/**
 * Entries of one index that a chunk of rows removes or adds. They are written in key order, so that each finds its position in the transaction
 * near that of the entry before it.
 */

import { compareRanges, type Steps } from '#base';
import type { IndexLayout } from '#layout';
import type { Row } from '#value';
import { EntryBuffer } from './entry-buffer.ts';
import type { MutationContext } from './mutation-context.ts';
import type { IndexEntry } from './unique-entries.ts';

export class ChangedEntries {
  private readonly mutationContext: MutationContext;
  private readonly layout: IndexLayout;
  private readonly buffer: EntryBuffer;
  private held = 0;
  /** The appended entry: its start, and the end of its key. */
  private from = 0;
  private keyTo = 0;

  /** `expected` is the number of rows. */
  constructor(mutationContext: MutationContext, layout: IndexLayout, expected: number) {
    this.mutationContext = mutationContext;
    this.layout = layout;
    this.buffer = new EntryBuffer(layout.range.from.length, undefined, expected);
  }

  /** Returns whether the appended entry has a value. */
  get hasValue(): boolean {
    return this.buffer.writer.length > this.keyTo;
  }

  /** Appends the entry of a row; `add` or `cut` must follow. */
  append(row: Row, rowKey: Uint8Array): void {
    const { writer } = this.buffer;
    this.from = writer.length;
    this.keyTo = this.layout.appendEntryOfRow(writer, row, rowKey, 0, rowKey.length);
  }

  /** Returns whether the appended entry has the same key as that of `other`. */
  hasKeyOf(other: ChangedEntries): boolean {
    const { bytes } = this.buffer.writer;
    const { writer } = other.buffer;
    return compareRanges(bytes, this.from, this.keyTo, writer.bytes, other.from, other.keyTo) === 0;
  }

  /** Keeps the appended entry. */
  add(): void {
    const { buffer, mutationContext } = this;
    buffer.added(this.keyTo);
    mutationContext.hold(buffer.heldBytes - this.held);
    this.held = buffer.heldBytes;
  }

  /** Removes the appended entry and returns it, as views that are valid until the next `append`. */
  cut(): IndexEntry {
    const { writer } = this.buffer;
    const { bytes, length } = writer;
    const entry = {
      key: bytes.subarray(this.from, this.keyTo),
      value: bytes.subarray(this.keyTo, length),
    };
    writer.length = this.from;
    return entry;
  }

  /** Deletes the keys of the entries. */
  *delete(): Steps<void> {
    const { buffer, mutationContext } = this;
    if (buffer.count > 0) yield* buffer.deleteAll(yield* this.handOver(), mutationContext);
  }

  *put(): Steps<void> {
    const { buffer, mutationContext } = this;
    if (buffer.count > 0) yield* buffer.putAll(yield* this.handOver(), mutationContext);
  }

  /** Hands the memory of the entries to the transaction, which accounts it from then on. Returns their key order. */
  private *handOver(): Steps<Uint32Array> {
    const { buffer, mutationContext } = this;
    const order = yield* buffer.order(mutationContext);
    buffer.handOver(mutationContext);
    mutationContext.release(this.held);
    return order;
  }
}
