/** Gets log objects that were listed ahead of their turn: what is present stays what it is. What was not listed is asked for in its turn. */

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
  /** How many of `listed` have been asked for, and those that nobody has taken yet, by name. */
  private asked = 0;
  private readonly underway = new Map<string, Early>();
  private underwayBytes = 0;

  private constructor(objects: ObjectStore, listed: readonly ObjectHead[]) {
    this.objects = objects;
    this.listed = listed;
  }

  /** Of the objects after `boundaryId`. */
  static async start(objects: ObjectStore, boundaryId: number): Promise<LogPrefetch> {
    const later = await objects.list(prefixes.log, logObjectName(boundaryId));
    return new LogPrefetch(
      objects,
      later.filter(({ name }) => numberOf(name) !== undefined),
    );
  }

  /** Ids must be asked for in ascending order. */
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
      // The caller that asks for the object sees the failure.
      body.catch(() => {});
      this.underway.set(next.name, { bytes: next.bytes, body });
      this.underwayBytes += next.bytes;
    }
  }
}
