/**
 * A log in memory, which is durable immediately. The medium outlives the log, so that a store can
 * be reopened within the process.
 */

import type { LogCounters } from '../contract/statistics.ts';
import { bodyBytes, concatenate } from '../object/body.ts';
import { StorageError } from '../object/storage-fault.ts';
import type { Body } from '../object/store.ts';
import { newCounters } from './counters.ts';
import { areKept } from './gathered-bytes.ts';
import type { LogDevice, LogExtent, LogRecovery, RecoveredLog, SegmentLog } from './log.ts';

interface MemoryLogMedium {
  /** The epoch of the writer. An earlier writer may no longer append. */
  epoch: number;
  /** The number of the first record in `payloads`. */
  first: number;
  payloads: Body[];
}

export function memoryLogMedium(): MemoryLogMedium {
  return { epoch: 0, first: 1, payloads: [] };
}

export function memoryLogDevice(medium: MemoryLogMedium = memoryLogMedium()): LogDevice {
  return {
    recover: async (recovery) => recover(medium, recovery),
    async start(recovered) {
      medium.epoch = recovered.epoch;
      return new MemoryLog(medium, recovered.epoch);
    },
  };
}

function recover(medium: MemoryLogMedium, recovery: LogRecovery): RecoveredLog {
  const { first, payloads } = medium;
  const lastRecord = first + payloads.length - 1;
  for (let record = Math.max(first, recovery.boundary + 1); record <= lastRecord; record++) {
    const payload = payloads[record - first] as Body;
    recovery.replay(payload instanceof Uint8Array ? payload : concatenate(payload), record);
  }
  const replayedRecords = Math.max(0, lastRecord - Math.max(first - 1, recovery.boundary));
  const { epoch } = recovery;
  return { epoch, seals: [], lastRecord, lastCrc: 0, torn: undefined, replayedRecords };
}

class MemoryLog implements SegmentLog {
  readonly epoch: number;
  readonly seals = [];
  readonly counters: LogCounters = newCounters();
  last: number;
  poisoned: StorageError | undefined;
  private readonly medium: MemoryLogMedium;

  constructor(medium: MemoryLogMedium, epoch: number) {
    this.medium = medium;
    this.epoch = epoch;
    this.last = medium.first + medium.payloads.length - 1;
  }

  get durableTo(): number {
    return this.last;
  }

  append(parts: readonly Uint8Array[]): number {
    const { medium, epoch } = this;
    if (medium.epoch !== epoch) {
      this.poisoned ??= new StorageError({ kind: 'fenced', epoch, by: medium.epoch });
      throw this.poisoned;
    }
    medium.payloads.push(areKept(parts) ? parts : concatenate(parts));
    this.counters.records++;
    this.counters.payloadBytes += bodyBytes(parts);
    return ++this.last;
  }

  durable(): undefined {
    return undefined;
  }

  extent(): LogExtent {
    return { segment: 0, record: this.last };
  }

  async removeLeftovers(): Promise<void> {}

  async trim(boundary: number): Promise<void> {
    const given = Math.min(boundary - this.medium.first + 1, this.medium.payloads.length);
    if (given <= 0) return;
    this.medium.payloads = this.medium.payloads.slice(given);
    this.medium.first += given;
  }

  async close(): Promise<void> {}
}
