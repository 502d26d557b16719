/** A trace of the key ranges that the scans of a statement read. Bounds are recorded by length and hash only. */

import type { Direction, KeyRange } from '#storage';

const scansMax = 64;
const seeksMax = 16;
/** Maximum number of bytes of a bound that are hashed. */
const boundBytesMax = 512;

interface Bound {
  readonly byteLength: number;
  readonly sha256: string;
}

interface Seek {
  readonly from: Bound;
  /** The end of the range; absent if it extends to the end of all keys. */
  readonly to?: Bound;
  readonly direction: Direction;
}

/** All reads of one operator in key order. The operator seeks several times if it scans several ranges or runs again. */
export interface ScanRecord {
  /** Id of the plan node; -1 for reads outside of a relation. */
  readonly operatorId: number;
  readonly seeks: Seek[];
  seeksDropped: number;
  entries: number;
}

export class ScanTrace {
  readonly scans: ScanRecord[] = [];
  dropped = 0;
  private readonly byOperator = new Map<number, ScanRecord>();

  /** Begins the record of one scan. Returns `undefined` if the statement has more operators with scans than are recorded. */
  begin(operatorId: number, range: KeyRange, direction: Direction): ScanRecord | undefined {
    let record = this.byOperator.get(operatorId);
    if (record === undefined) {
      if (this.scans.length === scansMax) {
        this.dropped++;
        return undefined;
      }
      record = { operatorId, seeks: [], seeksDropped: 0, entries: 0 };
      this.byOperator.set(operatorId, record);
      this.scans.push(record);
    }
    if (record.seeks.length === seeksMax) record.seeksDropped++;
    else record.seeks.push(seekOf(range, direction));
    return record;
  }
}

function seekOf({ from, to }: KeyRange, direction: Direction): Seek {
  return { from: boundOf(from), ...(to !== undefined && { to: boundOf(to) }), direction };
}

function boundOf(key: Uint8Array): Bound {
  const hashed = key.subarray(0, boundBytesMax);
  const sha256 = new Bun.CryptoHasher('sha256').update(hashed).digest('hex');
  return { byteLength: key.length, sha256 };
}
