/** Limits how many signatures are checked at the same time. The others wait in order. */

const slotsMax = 4;

export class VerificationSlots {
  private active = 0;
  private readonly waiting: (() => void)[] = [];

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.active === slotsMax) {
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    } else this.active++;
    try {
      return await work();
    } finally {
      // A waiting call takes over the slot.
      const next = this.waiting.shift();
      if (next === undefined) this.active--;
      else next();
    }
  }
}
