/**
 * The sequences at which open views read, which determine the versions that compaction must retain, and how far back commits must be
 * validated.
 */

import { invariant } from '#base';

/** An element of the list, which its owner must remove once. */
export interface LiveSequence {
  readonly sequence: number;
  newer: LiveSequence | undefined;
  older: LiveSequence | undefined;
}

/** An ascending list, since views begin at the newest sequence. Adding and removing take constant time. */
export class LiveSequences {
  count = 0;
  /** Callers of `allRemoved`, each with the elements that existed then and have not been removed yet. */
  private leaving: { readonly left: Set<LiveSequence>; readonly told: () => void }[] = [];
  /** Callers of `whenPast`, each with the sequence below which no view may read any more. */
  private readonly waits = new Map<() => void, number>();
  /** The highest of these sequences; 0 if none waits. */
  private awaited = 0;
  private first: LiveSequence | undefined;
  private last: LiveSequence | undefined;

  add(sequence: number): LiveSequence {
    const older = this.last;
    invariant(older === undefined || older.sequence <= sequence, 'views begin in order');
    const place: LiveSequence = { sequence, newer: undefined, older };
    if (older === undefined) this.first = place;
    else older.newer = place;
    this.last = place;
    this.count++;
    return place;
  }

  remove(place: LiveSequence): void {
    if (place.older === undefined) this.first = place.newer;
    else place.older.newer = place.newer;
    if (place.newer === undefined) this.last = place.older;
    else place.newer.older = place.older;
    this.count--;
    if (place.sequence < this.awaited && place.older === undefined) this.look();
    if (this.leaving.length > 0) this.leave(place);
  }

  /**
   * Calls `told` once no view reads below `sequence`, immediately if there is none. This replaces an earlier wait of the same callback.
   */
  whenPast(sequence: number, told: () => void): void {
    this.waits.set(told, sequence);
    this.look();
  }

  /** Resolves when all current elements have been removed. */
  allRemoved(): Promise<void> {
    const left = new Set<LiveSequence>();
    for (let place = this.first; place !== undefined; place = place.newer) left.add(place);
    if (left.size === 0) return Promise.resolve();
    return new Promise((told) => this.leaving.push({ left, told }));
  }

  private leave(place: LiveSequence): void {
    for (const { left, told } of this.leaving) if (left.delete(place) && left.size === 0) told();
    this.leaving = this.leaving.filter(({ left }) => left.size > 0);
  }

  private look(): void {
    const oldest = this.oldest ?? Infinity;
    const over = [...this.waits].filter(([, sequence]) => sequence <= oldest);
    for (const [told] of over) this.waits.delete(told);
    this.awaited = Math.max(0, ...this.waits.values());
    for (const [told] of over) told();
  }

  get oldest(): number | undefined {
    return this.first?.sequence;
  }

  /** Returns each sequence once, ascending. */
  distinct(): number[] {
    const sequences: number[] = [];
    for (let place = this.first; place !== undefined; place = place.newer) {
      if (sequences.at(-1) !== place.sequence) sequences.push(place.sequence);
    }
    return sequences;
  }
}
