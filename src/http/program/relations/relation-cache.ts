/**
 * Caches the results of read-only programs and queries as bytes, with the state that they were made from
 * (docs/resource-limits.md, "Result cache"). A result is valid only while that state is current, so the cache needs no
 * invalidation. The cache keeps the most frequently requested results. A result is added when it is made for the second
 * time, and replaces others of its visibility class only if it is requested more often than each of them.
 */

import { ClassShares } from '#base';
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

/** The request that a result belongs to. */
export interface RelationKey {
  /** The class of the principals that share the result. */
  readonly visibilityClass: string;
  /** The body, together with all else that distinguishes results. */
  readonly body: string;
}

interface Entry extends RelationKey {
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
  /** The entries of each visibility class by body, the most recently used last. */
  private readonly classes = new Map<string, Map<string, Entry>>();
  private readonly shares: ClassShares;
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
    this.shares = new ClassShares({ bytes: limits.bytesMax, entries: limits.entriesMax });
    counters.capacityBytes = limits.bytesMax;
    counters.capacityEntries = limits.entriesMax;
    counters.resultBytesMax = limits.resultBytesMax;
  }

  /** Returns the cached result of a request in this state. Removes an entry of another state. */
  find({ visibilityClass, body }: RelationKey, state: ReadState): CachedResult | undefined {
    const entries = this.classes.get(visibilityClass);
    const entry = entries?.get(body);
    if (entries === undefined || entry === undefined) return undefined;
    if (!isSameState(entry.state, state)) {
      // A past state never becomes current again.
      this.remove(entry);
      this.counters.evictedStale++;
      return undefined;
    }
    this.frequencies.add(entry.hash);
    entries.delete(body);
    entries.set(body, entry);
    return entry.held;
  }

  /** Records a miss. Returns whether the result should be cached, as far as that is known before it exists. */
  missed(body: string): boolean {
    const isWanted = this.frequencies.add(hashOf(body)) > 1;
    if (!isWanted) this.counters.refusedFirst++;
    return isWanted;
  }

  /** Caches a result if there is space or if other results are requested less often. */
  add({ visibilityClass, body }: RelationKey, state: ReadState, held: CachedResult): void {
    const bytes = entryBytes + body.length * characterBytes + held.bytes;
    const former = this.classes.get(visibilityClass)?.get(body);
    if (former !== undefined) this.remove(former);
    const crowded =
      held.bytes > this.limits.resultBytesMax
        ? undefined
        : this.shares.room(visibilityClass, bytes);
    if (crowded === undefined) {
      this.counters.refusedSize++;
      return;
    }
    const entry = { visibilityClass, body, hash: hashOf(body), state, held, bytes };
    if (!this.makeRoom(entry, crowded)) {
      this.counters.refusedFrequency++;
      return;
    }
    this.put(entry);
    this.counters.admitted++;
    this.counters.entries++;
    this.counters.bytes += bytes;
    this.shares.added(visibilityClass, bytes);
  }

  /**
   * Evicts the least recently used entries of crowded classes until the new entry fits. Returns `false` and evicts nothing if one of them
   * belongs to the class of the entry and is requested at least as often.
   */
  private makeRoom({ visibilityClass, hash }: Entry, crowded: () => string | undefined): boolean {
    const frequency = this.frequencies.countOf(hash);
    const victims: Entry[] = [];
    const orders = new Map<string, Iterator<Entry>>();
    for (let full = crowded(); full !== undefined; full = crowded()) {
      const order = orders.get(full) ?? (this.classes.get(full) as Map<string, Entry>).values();
      orders.set(full, order);
      const victim = order.next().value as Entry;
      if (full === visibilityClass && this.frequencies.countOf(victim.hash) >= frequency) {
        for (const spared of victims) this.shares.added(spared.visibilityClass, spared.bytes);
        this.goRound(victim);
        return false;
      }
      victims.push(victim);
      this.shares.removed(full, victim.bytes);
    }
    for (const victim of victims) {
      this.forget(victim);
      this.counters.evictedCapacity++;
    }
    return true;
  }

  private put(entry: Entry): void {
    const { visibilityClass, body } = entry;
    const entries = this.classes.get(visibilityClass);
    if (entries === undefined) this.classes.set(visibilityClass, new Map([[body, entry]]));
    else entries.set(body, entry);
  }

  /**
   * Moves an entry that was not evicted to the end. An entry that was requested often but long ago thus does not protect
   * the others forever.
   */
  private goRound(entry: Entry): void {
    this.classes.get(entry.visibilityClass)?.delete(entry.body);
    this.put(entry);
  }

  private remove(entry: Entry): void {
    this.shares.removed(entry.visibilityClass, entry.bytes);
    this.forget(entry);
  }

  private forget({ visibilityClass, body, bytes }: Entry): void {
    const entries = this.classes.get(visibilityClass);
    entries?.delete(body);
    if (entries?.size === 0) this.classes.delete(visibilityClass);
    this.counters.entries--;
    this.counters.bytes -= bytes;
    this.release(bytes);
  }
}

/** Returns a 32-bit hash. */
function hashOf(body: string): number {
  return Bun.hash.xxHash32(body);
}
