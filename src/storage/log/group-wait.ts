/** One promise for all who wait for a group of the log, made when the first of them asks. */

export class GroupWait {
  private waiting: PromiseWithResolvers<void> | undefined;

  get promise(): Promise<void> {
    if (this.waiting === undefined) {
      this.waiting = Promise.withResolvers<void>();
      // All that wait see the rejection; that nobody waits is no mistake.
      this.waiting.promise.catch(() => {});
    }
    return this.waiting.promise;
  }

  /** A caller that asks after that waits for the next group. */
  settle(failure: Error | undefined): void {
    if (failure === undefined) this.waiting?.resolve();
    else this.waiting?.reject(failure);
    this.waiting = undefined;
  }
}
