/**
 * Reads what earlier epochs left in `wal/` (docs/storage-format.md, "Opening").
 *
 * Sealed segments count up to their seal and must be whole up to there. Unless their writer sealed them when it closed, the segments of the
 * newest manifest's own epoch are read up to the first record that breaks the chain, and made durable before anybody may rely on it.
 */

import type { DirectoryIo } from '../object/directory-io.ts';
import { pairOf, prefixes, segmentName } from '../object/names.ts';
import { StorageError } from '../object/trouble.ts';
import type { LogRecovery, RecoveredLog, SegmentSeal } from './log.ts';
import {
  type Chain,
  logVersion,
  parseSegmentHeader,
  type SegmentHeader,
  type SegmentId,
} from './record.ts';
import { recordBehindHeader, type SegmentScan, scanRecords } from './scan.ts';
import { logDirectory } from './segment-files.ts';

interface Progress {
  chain: Chain;
  replayed: number;
  torn: string | undefined;
  readonly seals: SegmentSeal[];
  /** Every segment is read into the same memory. */
  buffer: Uint8Array;
}

export async function recoverLocal(io: DirectoryIo, recovery: LogRecovery): Promise<RecoveredLog> {
  const progress: Progress = {
    chain: { record: 0, crc: recovery.boundary === 0 ? 0 : undefined },
    replayed: 0,
    torn: undefined,
    seals: [],
    buffer: new Uint8Array(),
  };
  for (const seal of [...recovery.seals].sort(bySegment)) {
    readSealed(io, recovery, seal, progress);
  }
  const isClosed = recovery.seals.some(({ epoch }) => epoch === recovery.sealedBefore);
  const unsealedFrom = isClosed ? recovery.sealedBefore + 1 : recovery.sealedBefore;
  for (const id of listSegments(io)) {
    if (id.epoch >= unsealedFrom && id.epoch < recovery.epoch) {
      await readUnsealed(io, recovery, id, progress);
    }
  }
  const isTrimmed = progress.chain.record < recovery.boundary;
  return {
    epoch: recovery.epoch,
    seals: progress.seals,
    lastRecord: isTrimmed ? recovery.boundary : progress.chain.record,
    lastCrc: isTrimmed ? 0 : (progress.chain.crc ?? 0),
    torn: progress.torn,
    replayedRecords: progress.replayed,
  };
}

/** Removes what no manifest counts any more: everything in `wal/` of earlier epochs that is not in `seals`. */
export function removeLeftovers(io: DirectoryIo, recovered: RecoveredLog): void {
  const kept = new Set(recovered.seals.map((seal) => segmentName(seal.epoch, seal.segment)));
  for (const entry of io.entries(logDirectory)) {
    const name = `${prefixes.log}${entry}`;
    const epoch = Number.parseInt(entry, 10);
    if (!kept.has(name) && epoch < recovered.epoch) io.unlink(name);
  }
}

function listSegments(io: DirectoryIo): readonly SegmentId[] {
  const found: SegmentId[] = [];
  for (const entry of io.entries(logDirectory)) {
    const pair = pairOf(entry, '.log');
    if (pair !== undefined) found.push({ epoch: pair[0], segment: pair[1] });
  }
  return found.sort(bySegment);
}

function bySegment(left: SegmentId, right: SegmentId): number {
  return left.epoch - right.epoch || left.segment - right.segment;
}

function readSealed(
  io: DirectoryIo,
  recovery: LogRecovery,
  seal: SegmentSeal,
  progress: Progress,
): void {
  if (seal.lastRecord <= recovery.boundary) {
    progress.chain = { record: seal.lastRecord, crc: undefined };
    return;
  }
  const name = segmentName(seal.epoch, seal.segment);
  const lost = `records up to ${seal.lastRecord} would be lost from here on`;
  const damaged = (offset: number, detail: string) =>
    new StorageError({ kind: 'corrupt', object: name, offset, detail, lost });
  const image = readImage(io, name, seal.bytes, progress);
  if (image === undefined) throw damaged(0, 'the segment is missing');
  const header = readHeader(image, seal, name);
  if (header === undefined) throw damaged(0, 'the header of the segment is damaged');
  const scan = scanSegment(image, seal, header, recovery, progress);
  if (scan.chain.record !== seal.lastRecord || scan.end !== seal.bytes) {
    throw damaged(scan.end, `record ${scan.chain.record + 1} is damaged`);
  }
  progress.seals.push(seal);
}

async function readUnsealed(
  io: DirectoryIo,
  recovery: LogRecovery,
  id: SegmentId,
  progress: Progress,
): Promise<void> {
  const name = segmentName(id.epoch, id.segment);
  const image = readImage(io, name, Number.MAX_SAFE_INTEGER, progress);
  // A writer that has been replaced may still trim what is in tables; a hole above the boundary shows in the numbers.
  if (image === undefined) return;
  const header = readHeader(image, id, name);
  if (header === undefined) {
    const survivor = recordBehindHeader(image, id);
    if (survivor !== undefined) {
      throw damagedBefore(
        name,
        0,
        'the header of the segment is damaged',
        progress.chain,
        survivor,
      );
    }
    return;
  }
  if (id.epoch > recovery.sealedBefore) {
    throw damagedBefore(name, 0, 'no manifest knows its epoch', progress.chain, header.firstRecord);
  }
  const scan = scanSegment(image, id, header, recovery, progress);
  const { end, chain, fault } = scan;
  if (fault?.survivor !== undefined) {
    const detail = `record ${chain.record + 1} is damaged`;
    throw damagedBefore(name, fault.offset, detail, chain, fault.survivor);
  }
  if (fault !== undefined) progress.torn = `${name}:${fault.offset}`;
  if (end > 0 && chain.record > recovery.boundary) {
    await secure(io, name, image, scan);
    progress.seals.push({ ...id, bytes: end, lastRecord: chain.record });
  }
}

function readHeader(image: Uint8Array, id: SegmentId, name: string): SegmentHeader | undefined {
  const header = parseSegmentHeader(
    new DataView(image.buffer, image.byteOffset, image.byteLength),
    id,
  );
  if (header !== undefined && header.version !== logVersion) {
    throw new StorageError({ kind: 'format', object: name, version: header.version });
  }
  return header;
}

function scanSegment(
  image: Uint8Array,
  id: SegmentId,
  header: SegmentHeader,
  recovery: LogRecovery,
  progress: Progress,
): SegmentScan {
  const chain = enter(header, id, recovery.boundary, progress.chain);
  const scan = scanRecords(image, id, chain, (payload, record) => {
    if (record <= recovery.boundary) return;
    progress.replayed++;
    recovery.replay(payload, record);
  });
  progress.chain = scan.chain;
  return scan;
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
  throw damagedBefore(name, 0, detail, chain, header.firstRecord);
}

function damagedBefore(
  object: string,
  offset: number,
  detail: string,
  chain: Chain,
  survivor: number,
): StorageError {
  const lost = `record ${chain.record + 1} and all after it would be lost, ${survivor} among them`;
  return new StorageError({ kind: 'corrupt', object, offset, detail, lost });
}

/** The first bytes of a segment, valid until the next call; undefined when it does not exist. */
function readImage(
  io: DirectoryIo,
  name: string,
  bytesMax: number,
  progress: Progress,
): Uint8Array | undefined {
  const file = io.open(name, 'read');
  if (file === undefined) return undefined;
  try {
    const bytes = Math.min(file.bytes, bytesMax);
    if (progress.buffer.length < bytes) progress.buffer = new Uint8Array(bytes);
    const image = progress.buffer.subarray(0, bytes);
    return image.subarray(0, file.read(image, 0));
  } finally {
    file.close();
  }
}

/**
 * Makes durable what `scan` found. All groups but the last were synced by their writer. The last one may be in the page cache
 * only, and if its sync has failed, another sync would succeed without writing it: so it is written again, byte for byte.
 */
async function secure(io: DirectoryIo, name: string, image: Uint8Array, scan: SegmentScan) {
  const file = io.open(name, 'write');
  // Trimmed meanwhile by a writer that has been replaced: its records are in tables.
  if (file === undefined) return;
  try {
    await file.write(image.subarray(scan.lastGroup, scan.end), scan.lastGroup);
    await file.sync();
  } finally {
    file.close();
  }
}
