/**
 * Caches the results of read-only programs and queries as bytes, with the state that they were made from
 * (docs/resource-limits.md, "Result cache"). A result is valid only while that state is current, so the cache needs no
 * invalidation. The cache keeps the most frequently requested results. A result is added when it is made for the second
 * time, and replaces others only if it is requested more often than each of them.
 */

import { isSameState, type ReadState } from '#engine';
import { FrequencySketch } from './frequency-sketch.ts';
import type { RelationCounters } from './relation-counters.ts';

export interface RelationLimits {
  /** Maximum bytes of all results together. 0 turns the cache off. */
  readonly bytesMax: number;
  readonly entriesMax: number;
  /** Maximum bytes of one result. */
  readonly resultBytesMax: number;
}

/** An encoded result. Its pieces must not be modified. */
export interface CachedResult {
  readonly pieces: readonly Uint8Array<ArrayBuffer>[];
  /** Total bytes of all pieces. */
  readonly bytes: number;
  /** The entity tag of a response to QUERY. */
  readonly entityTag: string | undefined;
  /** The number of affected rows of each statement. */
  readonly statements: readonly { readonly affected: number }[];
  readonly resultRows: number;
  /** The time that it took to make the result, in milliseconds. */
  readonly ms: number;
}

interface Entry {
  readonly body: string;
  readonly hash: number;
  readonly state: ReadState;
  readonly held: CachedResult;
  /** Bytes of the result with its text and bookkeeping. */
  readonly bytes: number;
}

/** Bytes of the objects of an entry, in addition to its result and its text. */
const entryBytes = 1024;
/** Bytes of one character of a text. */
const characterBytes = 2;

export class RelationCache {
  readonly limits: RelationLimits;
  readonly counters: RelationCounters;
  /** The entries by body, the most recently used last. */
  private readonly entries = new Map<string, Entry>();
  private readonly frequencies: FrequencySketch;
  private readonly release: (bytes: number) => void;

  constructor(
    limits: RelationLimits,
    counters: RelationCounters,
    release: (bytes: number) => void = () => {},
  ) {
    this.limits = limits;
    this.counters = counters;
    this.release = release;
    this.frequencies = new FrequencySketch(limits.entriesMax);
    counters.capacityBytes = limits.bytesMax;
    counters.capacityEntries = limits.entriesMax;
    counters.resultBytesMax = limits.resultBytesMax;
  }

  /** Returns the cached result of `body` in this state. Removes an entry of another state. */
  find(body: string, state: ReadState): CachedResult | undefined {
    const entry = this.entries.get(body);
    if (entry === undefined) return undefined;
    if (!isSameState(entry.state, state)) {
      // A past state never becomes current again.
      this.remove(entry);
      this.counters.evictedStale++;
      return undefined;
    }
    this.frequencies.add(entry.hash);
    this.entries.delete(body);
    this.entries.set(body, entry);
    return entry.held;
  }

  /** Records a miss. Returns whether the result should be cached, as far as that is known before it exists. */
  missed(body: string): boolean {
    const isWanted = this.frequencies.add(hashOf(body)) > 1;
    if (!isWanted) this.counters.refusedFirst++;
    return isWanted;
  }

  /** Caches a result if there is space or if other results are requested less often. */
  add(body: string, state: ReadState, held: CachedResult): void {
    const bytes = entryBytes + body.length * characterBytes + held.bytes;
    const { bytesMax, resultBytesMax } = this.limits;
    if (held.bytes > resultBytesMax || bytes > bytesMax) {
      this.counters.refusedSize++;
      return;
    }
    const former = this.entries.get(body);
    if (former !== undefined) this.remove(former);
    const entry = { body, hash: hashOf(body), state, held, bytes };
    if (!this.makeRoom(entry)) {
      this.counters.refusedFrequency++;
      return;
    }
    this.entries.set(body, entry);
    this.counters.admitted++;
    this.counters.entries++;
    this.counters.bytes += bytes;
  }

  /**
   * Evicts the least recently used entries until the new entry fits. Returns `false` and evicts nothing if one of them
   * is requested at least as often.
   */
  private makeRoom({ bytes, hash }: Entry): boolean {
    const { counters } = this;
    const { bytesMax, entriesMax } = this.limits;
    const frequency = this.frequencies.countOf(hash);
    const victims: Entry[] = [];
    let freed = 0;
    for (const entry of this.entries.values()) {
      const hasRoom =
        counters.bytes - freed + bytes <= bytesMax &&
        counters.entries - victims.length < entriesMax;
      if (hasRoom) break;
      if (this.frequencies.countOf(entry.hash) >= frequency) {
        this.goRound(entry);
        return false;
      }
      victims.push(entry);
      freed += entry.bytes;
    }
    for (const victim of victims) {
      this.remove(victim);
      counters.evictedCapacity++;
    }
    return true;
  }

  /**
   * Moves an entry that was not evicted to the end. An entry that was requested often but long ago thus does not protect
   * the others forever.
   */
  private goRound(entry: Entry): void {
    this.entries.delete(entry.body);
    this.entries.set(entry.body, entry);
  }

  private remove(entry: Entry): void {
    this.entries.delete(entry.body);
    this.counters.entries--;
    this.counters.bytes -= entry.bytes;
    this.release(entry.bytes);
  }
}

/** Returns a 32-bit hash. */
function hashOf(body: string): number {
  return Bun.hash.xxHash32(body);
}
