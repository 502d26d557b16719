/**
 * Seats that all clients want, under a unique index: a lock that is tried. Every answer is kept, and at the end each must have had a
 * reason: nobody sits where somebody else surely sits, nobody is sent away from a seat that was free all the time.
 */

interface Hold {
  readonly client: number;
  readonly id: number;
  readonly askedAt: number;
  readonly takenAt: number;
  /** When it was asked to be given back, and when it was; infinite until then. */
  leavingAt: number;
  leftAt: number;
}

interface Look {
  readonly client: number;
  readonly seat: number;
  readonly askedAt: number;
  readonly answeredAt: number;
}

export class Seats {
  readonly count: number;
  private readonly holds: Hold[][];
  private readonly refusals: Look[] = [];
  private readonly looks: (Look & { readonly id: number | undefined })[] = [];
  private now = 0;

  constructor(count: number) {
    this.count = count;
    this.holds = Array.from({ length: count }, () => []);
  }

  tick(): number {
    return this.now++;
  }

  taken(client: number, seat: number, id: number, askedAt: number): Hold {
    const never = Number.POSITIVE_INFINITY;
    const hold = { client, id, askedAt, takenAt: this.tick(), leavingAt: never, leftAt: never };
    this.holds[seat]?.push(hold);
    return hold;
  }

  refused(client: number, seat: number, askedAt: number): void {
    this.refusals.push({ client, seat, askedAt, answeredAt: this.tick() });
  }

  seen(client: number, seat: number, id: number | undefined, askedAt: number): void {
    this.looks.push({ client, seat, id, askedAt, answeredAt: this.tick() });
  }

  get answers(): number {
    const taken = this.holds.reduce((sum, holds) => sum + holds.length, 0);
    return taken + this.refusals.length + this.looks.length;
  }

  /** What is wrong with the answers so far; the first few. */
  check(): readonly string[] {
    return [...this.shared(), ...this.unfounded(), ...this.misseen()].slice(0, 5);
  }

  private *shared(): Generator<string> {
    for (const [seat, holds] of this.holds.entries()) {
      const sorted = holds.toSorted((a, b) => a.takenAt - b.takenAt);
      let last: Hold | undefined;
      for (const hold of sorted) {
        if (last !== undefined && last.leavingAt > hold.takenAt) {
          yield `seat ${seat} was given to row ${hold.id} while row ${last.id} had it`;
        }
        last = last === undefined || hold.leavingAt >= last.leavingAt ? hold : last;
      }
    }
  }

  private *unfounded(): Generator<string> {
    for (const { client, seat, askedAt, answeredAt } of this.refusals) {
      const isFounded = this.holds[seat]?.some(
        (hold) => hold.client !== client && hold.askedAt < answeredAt && hold.leftAt > askedAt,
      );
      if (!isFounded) yield `client ${client} was refused seat ${seat}, which nobody had`;
    }
  }

  private *misseen(): Generator<string> {
    for (const { seat, id, askedAt, answeredAt } of this.looks) {
      const holds = this.holds[seat] ?? [];
      if (id === undefined) {
        const sure = holds.find((hold) => hold.takenAt < askedAt && hold.leavingAt > answeredAt);
        if (sure !== undefined) yield `seat ${seat} looked free while row ${sure.id} had it`;
      } else if (!holds.some((h) => h.id === id && h.askedAt < answeredAt && h.leftAt > askedAt)) {
        yield `seat ${seat} showed row ${id}, which did not have it then`;
      }
    }
  }
}

export type { Hold };
