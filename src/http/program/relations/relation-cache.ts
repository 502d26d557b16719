/**
 * Answers of programs and queries that only read, kept as bytes with the state that they were made from (docs/resource-limits.md, "Result cache"). An answer
 * counts only while that state is the present one, so nothing has to be told that it is out of date. What is kept is what is asked for most often: an
 * answer comes in the second time that it is made, and takes the place of others only if it is asked for more often than each of them.
 */

import { isSameState, type ReadState } from '#engine';
import { FrequencySketch } from './frequency-sketch.ts';
import type { RelationCounters } from './relation-counters.ts';

export interface RelationLimits {
  /** Of all answers together; 0 turns everything off. */
  readonly bytesMax: number;
  readonly entriesMax: number;
  /** Of one answer. */
  readonly resultBytesMax: number;
}

/** An answer as it is sent. Nobody writes into its pieces. */
export interface CachedResult {
  readonly pieces: readonly Uint8Array<ArrayBuffer>[];
  /** Of all pieces. */
  readonly bytes: number;
  /** Of an answer to QUERY. */
  readonly entityTag: string | undefined;
  /** Rows of each statement. */
  readonly statements: readonly { readonly affected: number }[];
  readonly resultRows: number;
  /** How long it took to make. */
  readonly ms: number;
}

interface Entry {
  readonly body: string;
  readonly hash: number;
  readonly state: ReadState;
  readonly held: CachedResult;
  /** With its text and what keeps it in place. */
  readonly bytes: number;
}

/** Of an entry, besides its answer and its text: the objects around them. */
const entryBytes = 1024;
/** Of one character of a text. */
const characterBytes = 2;

export class RelationCache {
  readonly limits: RelationLimits;
  readonly counters: RelationCounters;
  /** By body, the one that was used last at the end. */
  private readonly entries = new Map<string, Entry>();
  private readonly frequencies: FrequencySketch;
  private readonly letGo: (bytes: number) => void;

  constructor(
    limits: RelationLimits,
    counters: RelationCounters,
    letGo: (bytes: number) => void = () => {},
  ) {
    this.limits = limits;
    this.counters = counters;
    this.letGo = letGo;
    this.frequencies = new FrequencySketch(limits.entriesMax);
    counters.capacityBytes = limits.bytesMax;
    counters.capacityEntries = limits.entriesMax;
    counters.resultBytesMax = limits.resultBytesMax;
  }

  /** The answer to `body` in this state. */
  find(body: string, state: ReadState): CachedResult | undefined {
    const entry = this.entries.get(body);
    if (entry === undefined) return undefined;
    if (!isSameState(entry.state, state)) {
      // No state comes back.
      this.remove(entry);
      this.counters.evictedStale++;
      return undefined;
    }
    this.frequencies.add(entry.hash);
    this.entries.delete(body);
    this.entries.set(body, entry);
    return entry.held;
  }

  /** Somebody asks in vain. Whether the answer is worth keeping, as far as is known before it is there. */
  missed(body: string): boolean {
    const isWanted = this.frequencies.add(hashOf(body)) > 1;
    if (!isWanted) this.counters.refusedFirst++;
    return isWanted;
  }

  /** Keeps an answer, if there is room for it or others are asked for less often. */
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

  /** Takes out those that have not been used for longest; false, with nothing taken out, where one of them is asked for as often. */
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

  /** An entry that has just been spared is asked last the next time: one that was asked for often, long ago, does not keep the others in place. */
  private goRound(entry: Entry): void {
    this.entries.delete(entry.body);
    this.entries.set(entry.body, entry);
  }

  private remove(entry: Entry): void {
    this.entries.delete(entry.body);
    this.counters.entries--;
    this.counters.bytes -= entry.bytes;
    this.letGo(entry.bytes);
  }
}

/** 32 bits. */
function hashOf(body: string): number {
  return Bun.hash.xxHash32(body);
}
