/** The queue between executions and the collector: a ring buffer whose entries are reused, so that it allocates nothing and no execution waits. */

import type { ExecutedPlan, ExecutionSample, Model } from './model.ts';

/** The statement of a plan, to which the reported executions belong. */
export interface Subject extends ExecutedPlan {
  readonly family: string;
  /** The model into which its executions were folded last. */
  model: Model | undefined;
  /** Returns the family of one of its relations, by part. */
  relationOf(part: string): string;
}

class Place implements ExecutionSample {
  subject: Subject | undefined;
  rows = 0;
  micros: number | undefined;
  variant = 0;
  observations: ExecutionSample['observations'] = [];
  work: ExecutionSample['work'];
}

const nothing: ExecutionSample['observations'] = [];

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

  /** Adds an execution. Returns false if the queue is full; the execution is then dropped and counted. */
  offer(
    subject: Subject,
    rows: number,
    micros: number | undefined,
    variant: number,
    observations: ExecutionSample['observations'],
    work: ExecutionSample['work'],
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

  /** Passes all executions to `take`. The execution object is reused after `take` returns. */
  drain(take: (subject: Subject, execution: ExecutionSample) => void): void {
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
