/** Encodes and decodes a log object (docs/storage-format.md, "Log object"): a group of records, or a fence. */

import { crc32, invariant, type Scheduler } from '#base';
import { storeLimits } from '../contract/limits.ts';
import { GatheredBytes } from '../log/gathered-bytes.ts';
import { GroupWait } from '../log/group-wait.ts';
import type { Replay } from '../log/log.ts';
import { getNumber, setNumber } from '../log/record.ts';
import { bodyBytes } from '../object/body.ts';
import { StorageError } from '../object/storage-fault.ts';

export const fenceBytes = 56;

const magic = Buffer.from('svc-wal\n');
const version = 1;

export interface LogObjectHead {
  readonly id: number;
  readonly epoch: number;
  /** Number of the first record; in a fence, of the next record. */
  readonly firstRecord: number;
  /** Number of records; 0 in a fence. */
  readonly records: number;
}

/** Gathers the records of one log object. */
export class ObjectGroup {
  private readonly gathered = new GatheredBytes(4096);
  private readonly acknowledged = new GroupWait();
  records = 0;

  constructor() {
    this.gathered.writer.reserve(fenceBytes);
  }

  get bytes(): number {
    return this.gathered.length;
  }

  /**
   * Appends the parts as one record and returns its size in bytes. The parts of a large record must not change until the group is gathered.
   */
  append(parts: readonly Uint8Array[]): number {
    const payloadBytes = bodyBytes(parts);
    invariant(payloadBytes <= storeLimits.recordBytesMax, 'a log record fits its limit');
    this.gathered.writer.u32(payloadBytes);
    this.gathered.append(parts);
    this.records++;
    return payloadBytes;
  }

  /** Makes all records contiguous; returns `undefined` if they already are. No record may be appended afterwards. */
  gather(scheduler: Scheduler): Promise<void> | undefined {
    return this.gathered.gather(scheduler);
  }

  /** Returns the bytes of the object. The group must be gathered. */
  encode(head: Omit<LogObjectHead, 'records'>, nonce: Uint8Array): Uint8Array {
    const { writer } = this.gathered;
    const bytes = writer.peek();
    const { view } = writer;
    bytes.set(magic);
    view.setUint32(8, version, true);
    bytes.set(nonce, 16);
    setNumber(view, 32, head.id);
    setNumber(view, 40, head.firstRecord);
    view.setUint32(48, head.epoch, true);
    view.setUint32(52, this.records, true);
    view.setUint32(12, crc32(bytes.subarray(16)), true);
    return bytes;
  }

  wait(): Promise<void> {
    return this.acknowledged.promise;
  }

  settle(failure: Error | undefined): void {
    this.acknowledged.settle(failure);
  }
}

export function encodeFence(head: Omit<LogObjectHead, 'records'>, nonce: Uint8Array): Uint8Array {
  return new ObjectGroup().encode(head, nonce);
}

/** Decodes the head of a log object. Throws `corrupt` or `format` with the name of the object. */
export function decodeHead(bytes: Uint8Array, name: string): LogObjectHead {
  if (bytes.length < fenceBytes || !magic.equals(bytes.subarray(0, magic.length))) {
    throw corruptLog(name, 0, 'it is not a log object');
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  if (view.getUint32(12, true) !== crc32(bytes.subarray(16))) {
    throw corruptLog(name, 12, 'its checksum does not match');
  }
  const found = view.getUint32(8, true);
  if (found !== version) throw new StorageError({ kind: 'format', object: name, version: found });
  return {
    id: getNumber(view, 32),
    firstRecord: getNumber(view, 40),
    epoch: view.getUint32(48, true),
    records: view.getUint32(52, true),
  };
}

/** Calls `visit` for each record of an object whose head was decoded by `decodeHead`. */
export function visitRecords(bytes: Uint8Array, head: LogObjectHead, visit: Replay): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let at = fenceBytes;
  for (let i = 0; i < head.records; i++) {
    const end = at + 4 + view.getUint32(at, true);
    visit(bytes.subarray(at + 4, end), head.firstRecord + i);
    at = end;
  }
}

export function corruptLog(object: string, offset: number, detail: string): StorageError {
  const lost = 'its records and all after them would be lost';
  return new StorageError({ kind: 'corrupt', object, offset, detail, lost });
}
