/** The clients at work, one operation after the other; they can be held between two operations, and the first wrong answer ends all. */

import type { Client } from './client.ts';

export class Team {
  readonly clients: readonly Client[];
  operations = 0;
  private isStopped = false;
  private failure: { readonly error: unknown } | undefined;
  private hold: PromiseWithResolvers<void> | undefined;
  private held = 0;
  private readonly changes = new Set<() => void>();
  private work: Promise<unknown> | undefined;

  constructor(clients: readonly Client[]) {
    this.clients = clients;
  }

  start(): void {
    this.work = Promise.all(this.clients.map((client) => this.run(client)));
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.release();
    await this.work;
    if (this.failure !== undefined) throw this.failure.error;
  }

  /** Operations per second while so many are done. */
  async rate(operations: number): Promise<number> {
    const from = this.operations;
    const startedMs = performance.now();
    await this.until(() => this.operations >= from + operations);
    return (operations * 1000) / (performance.now() - startedMs);
  }

  /** Every client has ended what it was doing, and goes on when told to. */
  async rest(): Promise<void> {
    this.hold = Promise.withResolvers();
    await this.until(() => this.held === this.clients.length);
  }

  get isResting(): boolean {
    return this.hold !== undefined;
  }

  release(): void {
    this.hold?.resolve();
    this.hold = undefined;
  }

  /** The result of what the conductor does meanwhile; rejects as soon as a client has had a wrong answer. */
  async alongside<T>(work: Promise<T>): Promise<T> {
    const wrong = this.until(() => false) as Promise<never>;
    wrong.catch(() => undefined);
    return Promise.race([work, wrong]);
  }

  private async until(isDone: () => boolean): Promise<void> {
    while (this.failure === undefined && !isDone()) {
      await new Promise<void>((resolve) => this.changes.add(resolve));
    }
    if (this.failure !== undefined) throw this.failure.error;
  }

  private changed(): void {
    const waiting = [...this.changes];
    this.changes.clear();
    for (const resolve of waiting) resolve();
  }

  private async run(client: Client): Promise<void> {
    try {
      while (!this.isStopped && this.failure === undefined) {
        await client.act();
        this.operations++;
        this.changed();
        if (this.hold !== undefined) await this.pause(this.hold.promise);
      }
    } catch (error) {
      this.failure ??= { error };
      this.changed();
    }
  }

  private async pause(hold: Promise<void>): Promise<void> {
    this.held++;
    this.changed();
    await hold;
    this.held--;
  }
}
