/** Counts the requests in progress. Shutdown waits until the count is 0. */

export class Activity {
  private working = 0;
  private waiting: (() => void)[] = [];

  /** Records that work on a request begins. A request whose body is still being received does not count. */
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

  /** Resolves when no request is in progress. A new request may have started before the caller continues. */
  quiet(): Promise<void> {
    if (this.isQuiet) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}
