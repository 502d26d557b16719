/** How many requests are being worked on, and when none is: what an orderly stop waits for. */

export class Activity {
  private working = 0;
  private waiting: (() => void)[] = [];

  /** A request begins to be worked on. One whose body is still on its way is not. */
  enter(): void {
    this.working++;
  }

  leave(): void {
    this.working--;
    if (this.working > 0 || this.waiting.length === 0) return;
    for (const resolve of this.waiting.splice(0)) resolve();
  }

  get isQuiet(): boolean {
    return this.working === 0;
  }

  /** Resolves when nothing is being worked on; by the time it is looked at, something may be again. */
  quiet(): Promise<void> {
    if (this.isQuiet) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}
