/**
 * The common parts of reading all kinds of segments: bytes, header, and position in the chain of
 * records.
 */

import type { DirectoryIo } from '../object/directory-io.ts';
import { manifestsOf, segmentName } from '../object/names.ts';
import { StorageError } from '../object/storage-fault.ts';
import type { LogRecovery, SegmentSeal } from './log.ts';
import type { Chain, SegmentId } from './record.ts';
import { type SegmentScan, scanRecords } from './scan.ts';
import {
  logVersion,
  parseSegmentHeader,
  recordsFrom,
  type SegmentHeader,
  unmarkedVersion,
} from './segment.ts';

/** The position up to which the log has been read. */
export class LogReading {
  readonly io: DirectoryIo;
  readonly recovery: LogRecovery;
  chain: Chain;
  replayed = 0;
  torn: string | undefined;
  readonly seals: SegmentSeal[] = [];
  /** Every segment is read into the same memory. */
  private buffer = new Uint8Array();

  constructor(io: DirectoryIo, recovery: LogRecovery) {
    this.io = io;
    this.recovery = recovery;
    this.chain = { record: 0, crc: recovery.boundary === 0 ? 0 : undefined };
  }

  /**
   * Returns the first bytes of a segment, valid until the next call; `undefined` if it does not
   * exist.
   */
  image(name: string, bytesMax = Number.MAX_SAFE_INTEGER): Uint8Array | undefined {
    const file = this.io.open(name, 'read');
    if (file === undefined) return undefined;
    try {
      const bytes = Math.min(file.bytes, bytesMax);
      if (this.buffer.length < bytes) this.buffer = new Uint8Array(bytes);
      const image = this.buffer.subarray(0, bytes);
      return image.subarray(0, file.read(image, 0));
    } finally {
      file.close();
    }
  }

  /** Replays the records of a segment that follow the current position. */
  scan(image: Uint8Array, id: SegmentId, header: SegmentHeader): SegmentScan {
    const { boundary, replay } = this.recovery;
    const chain = enter(header, id, boundary, this.chain);
    const scan = scanRecords(image, { id, chain, from: recordsFrom(header) }, (payload, record) => {
      if (record <= boundary) return;
      this.replayed++;
      replay(payload, record);
    });
    this.chain = scan.chain;
    return scan;
  }

  /**
   * Returns the failure for a missing segment that another object names. A replaced writer may have
   * left a manifest below that of its successor, which has deleted its log. The writer that claimed
   * an epoch after the newest remaining manifest may have been this successor.
   */
  vanished(object: string, evidence: string, lost: string): StorageError {
    const { epoch, sealedBefore } = this.recovery;
    const fault = { kind: 'vanished', object, evidence, lost } as const;
    if (epoch - sealedBefore === 1) return new StorageError(fault);
    return new StorageError({ ...fault, orManifestAfter: manifestsOf(sealedBefore) });
  }

  /**
   * Makes the records that `scan` found in an unsealed segment durable, and seals the segment after
   * them.
   */
  async keep(image: Uint8Array, id: SegmentId, scan: SegmentScan): Promise<void> {
    if (scan.end === 0 || scan.chain.record <= this.recovery.boundary) return;
    if (this.recovery.isLook !== true) {
      await secure(this.io, segmentName(id.epoch, id.segment), image, scan);
    }
    this.seals.push({ ...id, bytes: scan.end, lastRecord: scan.chain.record });
  }
}

/**
 * Returns the header; `undefined` if there is none or it is damaged. Throws `format` if it has a
 * newer format.
 */
export function readHeader(image: Uint8Array, id: SegmentId): SegmentHeader | undefined {
  const view = new DataView(image.buffer, image.byteOffset, image.byteLength);
  const header = parseSegmentHeader(view, id);
  if (header === undefined) return undefined;
  const { version } = header;
  if (version === logVersion || version === unmarkedVersion) return header;
  const object = segmentName(id.epoch, id.segment);
  throw new StorageError({ kind: 'format', object, version });
}

/**
 * Returns the chain at the start of a segment. The segment must continue the previous one, unless
 * the missing records are in SSTables.
 */
function enter(header: SegmentHeader, id: SegmentId, boundary: number, chain: Chain): Chain {
  const before = header.firstRecord - 1;
  const follows =
    before === chain.record && (chain.crc ?? header.previousCrc) === header.previousCrc;
  const skips = before > chain.record && before <= boundary;
  if (follows || skips) return { record: before, crc: header.previousCrc };
  const name = segmentName(id.epoch, id.segment);
  const detail = `the segment does not follow record ${chain.record}, the last one of the previous segment`;
  throw damagedBefore(name, { offset: 0, detail }, chain, header.firstRecord);
}

interface Fault {
  readonly offset: number;
  readonly detail: string;
}

/** Returns the failure for damage before an intact record, whose number is `survivor`. */
export function damagedBefore(
  object: string,
  fault: Fault,
  chain: Chain,
  survivor: number,
): StorageError {
  const lost = `record ${chain.record + 1} and all later records would be lost, including ${survivor}`;
  return new StorageError({ kind: 'corrupt', object, ...fault, lost });
}

/**
 * Makes the last group of a segment durable. The writer of the segment has synced all groups but
 * the last, which may be only in the page cache. If its sync failed, another sync could succeed
 * without writing it, so the bytes are written again. Throws `io` unless the name leads to the
 * synced file, because a directory may be replaced meanwhile. Only a newer writer trims a segment
 * with records above the boundary.
 */
async function secure(io: DirectoryIo, name: string, image: Uint8Array, scan: SegmentScan) {
  const file = io.open(name, 'write');
  if (file === undefined) throw elsewhere(name);
  try {
    await file.write(image.subarray(scan.lastGroup, scan.end), scan.lastGroup);
    await file.sync();
    if (!file.isAt(name)) throw elsewhere(name);
  } finally {
    file.close();
  }
}

function elsewhere(object: string): StorageError {
  return new StorageError({ kind: 'io', operation: 'find', object });
}
