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
