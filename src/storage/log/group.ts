/** The records that become durable by one write. */

import { ByteWriter, invariant } from '#base';
import { storeLimits } from '../contract/limits.ts';
import { bodyBytes } from '../object/body.ts';
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

/** `append` while it forms, `seal` when its segment is known, then `clear`. */
export class Group {
  private writer = new ByteWriter(64 << 10);
  private readonly acknowledged = new GroupWait();
  records = 0;
  /** Where the last record ends, without what aligns the next one. */
  end = 0;

  /** Bytes of the records, without padding. */
  get bytes(): number {
    return this.writer.length;
  }

  /** Copies the parts as one record and returns their bytes. */
  append(parts: readonly Uint8Array[]): number {
    const payloadBytes = bodyBytes(parts);
    invariant(payloadBytes <= storeLimits.recordBytesMax, 'a log record fits its limit');
    const { writer } = this;
    const length = recordHeaderBytes + payloadBytes;
    const at = writer.reserve(recordHeaderBytes);
    writer.view.setUint32(at + 4, length, true);
    for (let i = 0; i < parts.length; i++) writer.append(parts[i] as Uint8Array);
    this.end = at + length;
    const from = writer.reserve(alignRecord(length) - length);
    for (let i = from; i < writer.length; i++) writer.bytes[i] = 0;
    this.records++;
    return payloadBytes;
  }

  /** Fills in what depends on the segment; the chain afterwards. */
  seal(id: SegmentId, chain: Chain): Chain {
    const { view, length } = this.writer;
    let { record, crc } = chain;
    for (let at = 0; at < length; ) {
      crc = sealRecord(view, at, id, { record, crc }, at === 0);
      record++;
      at += alignRecord(view.getUint32(at + 4, true));
    }
    return { record, crc };
  }

  /** What to write, padded to the alignment of groups. Valid until `clear`. */
  image(): Uint8Array {
    const { writer } = this;
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

  /** Makes it an empty group again. */
  clear(): void {
    if (this.writer.bytes.length > keptBytesMax) this.writer = new ByteWriter(64 << 10);
    this.writer.clear();
    this.records = 0;
    this.end = 0;
  }
}
