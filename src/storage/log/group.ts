/** The records that one write makes durable. */

import { invariant, type Scheduler } from '#base';
import { storeLimits } from '../contract/limits.ts';
import { bodyBytes } from '../object/body.ts';
import { GatheredBytes } from './gathered-bytes.ts';
import { GroupWait } from './group-wait.ts';
import {
  alignGroup,
  alignRecord,
  type Chain,
  recordHeaderBytes,
  type SegmentId,
  sealRecord,
} from './record.ts';

const keptBytesMax = 4 << 20;

/**
 * Calls follow in this order: `append` while the group forms, `gather`, `seal` when its segment is
 * known, `clear`.
 */
export class Group {
  private readonly gathered = new GatheredBytes(64 << 10);
  private readonly acknowledged = new GroupWait();
  records = 0;
  /** The end of the last record, without the padding that aligns the next one. */
  end = 0;

  /** Bytes of the records with their alignment, without the padding of the group. */
  get bytes(): number {
    return this.gathered.length;
  }

  /**
   * Appends the parts as one record and returns their number of bytes. The parts of a large record
   * stay in use until the group is gathered.
   */
  append(parts: readonly Uint8Array[]): number {
    const payloadBytes = bodyBytes(parts);
    invariant(payloadBytes <= storeLimits.recordBytesMax, 'a log record is within its size limit');
    const { gathered } = this;
    const length = recordHeaderBytes + payloadBytes;
    this.end = gathered.length + length;
    const at = gathered.writer.reserve(recordHeaderBytes);
    gathered.writer.view.setUint32(at + 4, length, true);
    gathered.append(parts);
    const { writer } = gathered;
    const from = writer.reserve(alignRecord(length) - length);
    for (let i = from; i < writer.length; i++) writer.bytes[i] = 0;
    this.records++;
    return payloadBytes;
  }

  /** Copies the records into one array; returns `undefined` if they are contiguous already. */
  gather(scheduler: Scheduler): Promise<void> | undefined {
    return this.gathered.gather(scheduler, alignGroup(this.bytes));
  }

  /** Fills in the fields that depend on the segment, and returns the chain after the group. */
  seal(id: SegmentId, chain: Chain): Chain {
    const { view, length } = this.gathered.writer;
    let { record, crc } = chain;
    for (let at = 0; at < length; ) {
      crc = sealRecord(view, at, id, { record, crc }, at === 0);
      record++;
      at += alignRecord(view.getUint32(at + 4, true));
    }
    return { record, crc };
  }

  /**
   * Returns the bytes to write, padded to the alignment of groups. The bytes are valid until
   * `clear`.
   */
  image(): Uint8Array {
    const { writer } = this.gathered;
    const used = writer.length;
    const end = alignGroup(used);
    const padding = writer.reserve(end - used);
    writer.bytes.fill(0, padding, end);
    writer.length = used;
    return writer.bytes.subarray(0, end);
  }

  wait(): Promise<void> {
    return this.acknowledged.promise;
  }

  settle(failure: Error | undefined): void {
    this.acknowledged.settle(failure);
  }

  /** Makes the group empty again. */
  clear(): void {
    this.gathered.clear(keptBytesMax);
    this.records = 0;
    this.end = 0;
  }
}
