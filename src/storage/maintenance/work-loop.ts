/** Background work of one kind: runs steps as long as there is work, and again after each kick. */

export class WorkLoop {
  private readonly step: () => Promise<boolean>;
  private readonly failed: (error: Error) => void;
  private running: Promise<void> | undefined;
  private isKicked = false;
  /** Whether `stop` was called. Long steps check it. */
  isStopped = false;

  /**
   * Creates a loop. `step` returns false if there was no work. If a step throws, `failed` is called
   * and the loop ends permanently.
   */
  constructor(step: () => Promise<boolean>, failed: (error: Error) => void) {
    this.step = step;
    this.failed = failed;
  }

  /** Runs steps until there is no work, unless the loop has stopped. */
  kick(): void {
    this.isKicked = true;
    if (!this.isStopped) this.running ??= this.run();
  }

  get isRunning(): boolean {
    return this.running !== undefined;
  }

  /** Resolves when no work is left. */
  async idle(): Promise<void> {
    while (this.running !== undefined) await this.running;
  }

  /** Stops the loop after the current step. */
  async stop(): Promise<void> {
    this.isStopped = true;
    await this.running;
  }

  private async run(): Promise<void> {
    // The caller of `kick` continues before the first step.
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
