/**
 * Prefetches the log objects of a listing, which is safe because a log object never changes. Objects that were not listed are read when
 * they are requested.
 */

import { logObjectName, numberOf, prefixes } from '../object/names.ts';
import type { ObjectHead, ObjectStore } from '../object/store.ts';
import { bucketLimits } from './limits.ts';

interface Early {
  readonly bytes: number;
  readonly body: Promise<Uint8Array | undefined>;
}

export class LogPrefetch {
  private readonly objects: ObjectStore;
  private readonly listed: readonly ObjectHead[];
  /** Number of elements of `listed` that have been requested. */
  private asked = 0;
  /** Requested objects that the caller has not yet taken, by name. */
  private readonly underway = new Map<string, Early>();
  private underwayBytes = 0;

  private constructor(objects: ObjectStore, listed: readonly ObjectHead[]) {
    this.objects = objects;
    this.listed = listed;
  }

  /** Lists the log objects after `boundaryId`. */
  static async start(objects: ObjectStore, boundaryId: number): Promise<LogPrefetch> {
    const later = await objects.list(prefixes.log, logObjectName(boundaryId));
    return new LogPrefetch(
      objects,
      later.filter(({ name }) => numberOf(name) !== undefined),
    );
  }

  /** Returns the bytes of a log object; `undefined` if it does not exist. Ids must be requested in ascending order. */
  get(id: number): Promise<Uint8Array | undefined> {
    this.askAhead();
    const name = logObjectName(id);
    const early = this.underway.get(name);
    if (early === undefined) return this.objects.get(name);
    this.underway.delete(name);
    this.underwayBytes -= early.bytes;
    return early.body;
  }

  private askAhead(): void {
    const { readAhead, readAheadBytes } = bucketLimits;
    while (this.underway.size < readAhead && this.underwayBytes < readAheadBytes) {
      const next = this.listed[this.asked];
      if (next === undefined) return;
      this.asked++;
      const body = this.objects.get(next.name);
      // The caller of `get` receives the failure.
      body.catch(() => {});
      this.underway.set(next.name, { bytes: next.bytes, body });
      this.underwayBytes += next.bytes;
    }
  }
}
