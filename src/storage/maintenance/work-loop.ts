/** Background work of one kind: one step after the other while there is any, started again by a kick. */

export class WorkLoop {
  private readonly step: () => Promise<boolean>;
  private readonly failed: (error: Error) => void;
  private running: Promise<void> | undefined;
  private isKicked = false;
  /** Set by `stop`; long steps look at it. */
  isStopped = false;

  /** `step` returns false when there was nothing to do. `failed` ends the loop for ever. */
  constructor(step: () => Promise<boolean>, failed: (error: Error) => void) {
    this.step = step;
    this.failed = failed;
  }

  /** Something may be there to do. */
  kick(): void {
    this.isKicked = true;
    if (!this.isStopped) this.running ??= this.run();
  }

  get isRunning(): boolean {
    return this.running !== undefined;
  }

  /** Resolves when there is nothing left to do. */
  async idle(): Promise<void> {
    while (this.running !== undefined) await this.running;
  }

  /** Finishes the current step. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.running;
  }

  private async run(): Promise<void> {
    // The one who kicks goes on first.
    await null;
    try {
      while (this.isKicked && !this.isStopped) {
        this.isKicked = false;
        while (!this.isStopped && (await this.step())) {}
      }
    } catch (error) {
      this.isStopped = true;
      this.failed(error as Error);
    } finally {
      this.running = undefined;
    }
  }
}
