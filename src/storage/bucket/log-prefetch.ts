/** Gets log objects that were listed ahead of their turn: what is present stays what it is. What was not listed is asked for in its turn. */

import { logObjectName, numberOf, prefixes } from '../object/names.ts';
import type { ObjectStore } from '../object/store.ts';
import { bucketLimits } from './limits.ts';

export class LogPrefetch {
  private readonly objects: ObjectStore;
  private readonly underway = new Map<number, Promise<Uint8Array | undefined>>();
  /** The highest id that was listed, and the next one to ask for. */
  private readonly listed: number;
  private ahead: number;

  private constructor(objects: ObjectStore, first: number, listed: number) {
    this.objects = objects;
    this.ahead = first;
    this.listed = listed;
  }

  /** Of the objects after `boundaryId`. */
  static async start(objects: ObjectStore, boundaryId: number): Promise<LogPrefetch> {
    const later = await objects.list(prefixes.log, logObjectName(boundaryId));
    const listed = numberOf(later.at(-1)?.name ?? '') ?? boundaryId;
    return new LogPrefetch(objects, boundaryId + 1, listed);
  }

  /** Ids must be asked for in ascending order. */
  get(id: number): Promise<Uint8Array | undefined> {
    for (; this.ahead <= Math.min(this.listed, id + bucketLimits.readAhead); this.ahead++) {
      const early = this.objects.get(logObjectName(this.ahead));
      // Whoever asks for it sees the failure.
      early.catch(() => {});
      this.underway.set(this.ahead, early);
    }
    const early = this.underway.get(id);
    this.underway.delete(id);
    return early ?? this.objects.get(logObjectName(id));
  }
}
