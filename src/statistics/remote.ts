/** Remote reads that tables would need, cached for one second, since each use of a cached plan asks for them. */

import type { Clock } from '#base';
import type { Index, Table } from '#catalog';
import { indexLayout, tableLayout } from '#layout';
import type { KeyRange } from '#storage';
import type { RemoteReads } from './statistics.ts';

export interface RemotePlace {
  /** Returns the cost of reading the range. The method is absent, or returns `undefined`, if the data is on this machine. */
  remoteReads?(range: KeyRange): RemoteReads | undefined;
}

interface Look {
  readonly atMs: number;
  readonly reads: RemoteReads | undefined;
}

const freshMs = 1_000;
/** Maximum number of cached tables and indexes. */
const looksMax = 4_096;

export class RemoteTables {
  private readonly place: RemotePlace;
  private readonly clock: Clock;
  private readonly looks = new Map<string, Look>();

  constructor(place: RemotePlace, clock: Clock) {
    this.place = place;
    this.clock = clock;
  }

  reads(table: Table, index: Index | undefined): RemoteReads | undefined {
    const atMs = this.clock.monotonicMs();
    const name = `${table.physicalId} ${index?.physicalId ?? ''}`;
    const known = this.looks.get(name);
    if (known !== undefined && atMs - known.atMs < freshMs) return known.reads;
    const { range } = index === undefined ? tableLayout(table) : indexLayout(table, index);
    const reads = this.place.remoteReads?.(range);
    if (this.looks.size >= looksMax) this.looks.clear();
    this.looks.set(name, { atMs, reads });
    return reads;
  }
}
