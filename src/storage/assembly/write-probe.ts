/** Proves that a storage location is writable by writing to it. A successful lookup of a name does not prove that. */

import type { Random } from '#base';
import type { Durable } from '../manifest/durable.ts';
import { openedMark } from '../manifest/opened-marker.ts';
import { runtimeName } from '../object/names.ts';
import { StorageError } from '../object/storage-fault.ts';

export class WriteProbe {
  private readonly durable: Durable;
  /** Unique to this opening of the store, so that an operator can see which process wrote last. */
  private readonly content: Uint8Array;
  /** Number of log groups at the last call of `write`. */
  private groups = 0;

  constructor(durable: Durable, random: Random) {
    this.durable = durable;
    this.content = openedMark({ random }, durable.epoch);
  }

  /** Rejects if nothing can be written. If the log has been written since the last call, that is proof enough and nothing is written. */
  async write(): Promise<void> {
    const { groups } = this.durable.log.counters;
    const isBusy = groups > this.groups;
    this.groups = groups;
    if (isBusy) return;
    try {
      await this.durable.objects.put(runtimeName, this.content);
    } catch (error) {
      throw asTest(error);
    }
  }
}

/** Names the purpose of the write: no request and no user has asked for the file. */
function asTest(error: unknown): unknown {
  if (!(error instanceof StorageError) || !('operation' in error.fault)) return error;
  return new StorageError({ ...error.fault, operation: 'test write of' }, error.cause);
}
