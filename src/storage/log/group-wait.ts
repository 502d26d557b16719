/** One promise for all callers that wait for a group of the log. The first call creates it. */

export class GroupWait {
  private waiting: PromiseWithResolvers<void> | undefined;

  get promise(): Promise<void> {
    if (this.waiting === undefined) {
      this.waiting = Promise.withResolvers<void>();
      // All waiting callers receive the rejection. If there are none, it must not be reported as
      // unhandled.
      this.waiting.promise.catch(() => {});
    }
    return this.waiting.promise;
  }

  /** Settles the promise. A later caller waits for the next group. */
  settle(failure: Error | undefined): void {
    if (failure === undefined) this.waiting?.resolve();
    else this.waiting?.reject(failure);
    this.waiting = undefined;
  }
}
