/** The sequences that open views read at: what compaction must keep alive, and how far back validation may be asked. */

import { invariant } from '#base';

/** A place in the list; given back once. */
export interface LiveSequence {
  readonly sequence: number;
  newer: LiveSequence | undefined;
  older: LiveSequence | undefined;
}

/** Ascending, because views begin at the newest sequence: adding and removing cost the same however many there are. */
export class LiveSequences {
  count = 0;
  /** For those who wait: the places that were taken then and are not given back yet. */
  private leaving: { readonly left: Set<LiveSequence>; readonly told: () => void }[] = [];
  /** Somebody waits until nobody reads below it; 0 when nobody does. */
  private awaited = 0;
  private told: () => void = () => {};
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

  /** Calls `told` once nobody reads below `sequence`, at once if that is so. Of several waits the last sequence and call count. */
  whenPast(sequence: number, told: () => void): void {
    this.awaited = Math.max(this.awaited, sequence);
    this.told = told;
    this.look();
  }

  /** Resolves when all places that are taken now have been given back. */
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
    if ((this.oldest ?? Infinity) < this.awaited) return;
    this.awaited = 0;
    this.told();
  }

  get oldest(): number | undefined {
    return this.first?.sequence;
  }

  /** Each once, ascending. */
  distinct(): number[] {
    const sequences: number[] = [];
    for (let place = this.first; place !== undefined; place = place.newer) {
      if (sequences.at(-1) !== place.sequence) sequences.push(place.sequence);
    }
    return sequences;
  }
}
