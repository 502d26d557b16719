/** Between executions and the collector: a ring of places that are used again and again, so that nothing is allocated and nobody waits. */

import type { Execution, Model, Planned } from './model.ts';

/** The statement of a plan, whose executions are told of. */
export interface Subject extends Planned {
  readonly family: string;
  /** The one that its executions were folded into last. */
  model: Model | undefined;
  /** The family of a relation of it, by part. */
  relationOf(part: string): string;
}

class Place implements Execution {
  subject: Subject | undefined;
  rows = 0;
  micros: number | undefined;
  variant = 0;
  observations: Execution['observations'] = [];
  work: Execution['work'];
}

const nothing: Execution['observations'] = [];

export class Channel {
  offered = 0;
  dropped = 0;
  private readonly capacity: number;
  private readonly places: Place[] = [];
  private first = 0;
  private count = 0;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  /** False when it is full: dropped. */
  offer(
    subject: Subject,
    rows: number,
    micros: number | undefined,
    variant: number,
    observations: Execution['observations'],
    work: Execution['work'],
  ): boolean {
    this.offered++;
    if (this.count === this.capacity) {
      this.dropped++;
      return false;
    }
    const place = this.placeAt((this.first + this.count) % this.capacity);
    place.subject = subject;
    place.rows = rows;
    place.micros = micros;
    place.variant = variant;
    place.observations = observations;
    place.work = work;
    this.count++;
    return true;
  }

  /** What `take` is given is used again when it returns. */
  drain(take: (subject: Subject, execution: Execution) => void): void {
    while (this.count > 0) {
      const place = this.places[this.first] as Place;
      const subject = place.subject as Subject;
      this.first = (this.first + 1) % this.capacity;
      this.count--;
      take(subject, place);
      place.subject = undefined;
      place.observations = nothing;
      place.work = undefined;
    }
  }

  private placeAt(at: number): Place {
    let place = this.places[at];
    if (place === undefined) {
      place = new Place();
      this.places[at] = place;
    }
    return place;
  }
}
