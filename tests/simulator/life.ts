/** One life of a process, from its start to its end. What belongs to it happens no more when it is dead, and later while it is paused. */

export class Life {
  readonly name: string;
  readonly role: 'writer' | 'reader';
  isDead = false;
  pausedUntilMs = 0;
  /** Its idea of Unix time, against the simulated one. */
  clockOffsetMs = 0;
  /** How many faults have hit it: only then may it complain. */
  faults = 0;
  /** Another process has begun to open the same place since. */
  isRivalled = false;
  /** Its place in the order of writers, once it has claimed one. */
  epoch = 0;
  /** A later writer has claimed its place. */
  isReplaced = false;
  /** Effects that it has had on its place since they are counted. */
  effects = 0;
  /** It ends in the middle of this one of them; 0 for never. */
  crashesAt = 0;
  hasCrashed = false;
  /** How often it has read what was never there. */
  misreads = 0;
  /** How many requests its client has sent as often as it does without any useful answer. */
  outages = 0;
  /** Resolves when it is dead or over. */
  readonly ended: Promise<void>;
  private readonly resolveEnded: () => void;

  constructor(name: string, role: 'writer' | 'reader' = 'writer') {
    this.name = name;
    this.role = role;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.ended = promise;
    this.resolveEnded = resolve;
  }

  pause(untilMs: number): void {
    this.pausedUntilMs = Math.max(this.pausedUntilMs, untilMs);
  }

  /** At once, whatever it is doing. */
  kill(): void {
    this.isDead = true;
    this.resolveEnded();
  }

  /** Counts an effect: whether it is the last one. */
  isLastEffect(): boolean {
    this.effects++;
    this.hasCrashed ||= this.effects === this.crashesAt;
    return this.hasCrashed;
  }

  /** Counts from here, and crashes at effect `at`. */
  crashAt(at: number): void {
    this.effects = 0;
    this.crashesAt = at;
  }

  end(): void {
    this.resolveEnded();
  }
}
