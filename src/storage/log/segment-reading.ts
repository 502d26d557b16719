/** What the readings of all kinds of segments have in common: bytes, header, and a place in the chain of records. */

import type { DirectoryIo } from '../object/directory-io.ts';
import { manifestsOf, segmentName } from '../object/names.ts';
import { StorageError } from '../object/trouble.ts';
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

/** How far the log has been read. */
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

  /** The first bytes of a segment, valid until the next call; undefined when it does not exist. */
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

  /** Replays the records of a segment that follow where the log was read to. */
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
   * The failure for a segment that something in the directory speaks of. A writer that was replaced may have left a manifest below that of
   * its successor, which has removed its log: whoever claimed after the newest manifest that is there may have been that one.
   */
  vanished(object: string, evidence: string, lost: string): StorageError {
    const { epoch, sealedBefore } = this.recovery;
    const trouble = { kind: 'vanished', object, evidence, lost } as const;
    if (epoch - sealedBefore === 1) return new StorageError(trouble);
    return new StorageError({ ...trouble, orManifestAfter: manifestsOf(sealedBefore) });
  }

  /** Makes durable what `scan` found in an unsealed segment, and seals it there. */
  async keep(image: Uint8Array, id: SegmentId, scan: SegmentScan): Promise<void> {
    if (scan.end === 0 || scan.chain.record <= this.recovery.boundary) return;
    if (this.recovery.isLook !== true) {
      await secure(this.io, segmentName(id.epoch, id.segment), image, scan);
    }
    this.seals.push({ ...id, bytes: scan.end, lastRecord: scan.chain.record });
  }
}

/** Undefined when there is none, or it is damaged. Throws `format` when it is of the future. */
export function readHeader(image: Uint8Array, id: SegmentId): SegmentHeader | undefined {
  const view = new DataView(image.buffer, image.byteOffset, image.byteLength);
  const header = parseSegmentHeader(view, id);
  if (header === undefined) return undefined;
  const { version } = header;
  if (version === logVersion || version === unmarkedVersion) return header;
  const object = segmentName(id.epoch, id.segment);
  throw new StorageError({ kind: 'format', object, version });
}

/** The chain at the start of a segment: it must go on where the one before ended, unless the gap is in tables. */
function enter(header: SegmentHeader, id: SegmentId, boundary: number, chain: Chain): Chain {
  const before = header.firstRecord - 1;
  const follows =
    before === chain.record && (chain.crc ?? header.previousCrc) === header.previousCrc;
  const skips = before > chain.record && before <= boundary;
  if (follows || skips) return { record: before, crc: header.previousCrc };
  const name = segmentName(id.epoch, id.segment);
  const detail = `the segment does not follow record ${chain.record}, where the one before ends`;
  throw damagedBefore(name, { offset: 0, detail }, chain, header.firstRecord);
}

interface Fault {
  readonly offset: number;
  readonly detail: string;
}

/** `survivor`: the number of a record behind the damage. */
export function damagedBefore(
  object: string,
  fault: Fault,
  chain: Chain,
  survivor: number,
): StorageError {
  const lost = `record ${chain.record + 1} and all after it would be lost, ${survivor} among them`;
  return new StorageError({ kind: 'corrupt', object, ...fault, lost });
}

/**
 * All groups but the last were synced by their writer. The last one may be in the page cache only, and if its sync has failed, another
 * sync would succeed without writing it: so it is written again, byte for byte. Throws `io` unless the name leads to what was synced: a
 * directory may be replaced meanwhile. No segment is trimmed that holds records above the boundary, except by a newer writer.
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
