/** Checks a bucket every five seconds before its store is open, and reports the obstacle on `/startupz` (docs/monitoring.md). */

import type { Timer, World } from '#base';
import type { StartupReason } from '#http';
import { type BucketSight, StorageError } from '#storage';
import type { ServerLifecycle } from './lifecycle.ts';
import type { Log } from './log.ts';

const intervalMs = 5000;
const timeoutMs = 4000;

interface PreflightParts {
  readonly look: (timeoutMs: number) => Promise<BucketSight>;
  readonly lifecycle: Pick<ServerLifecycle, 'held'>;
  readonly world: World;
  readonly log: Log;
}

const reasons: Readonly<Record<BucketSight['kind'], StartupReason>> = {
  ok: 'starting',
  missing: 'storage_bucket_missing',
  unauthorized: 'storage_unauthorized',
  unreachable: 'storage_unreachable',
};

export class Preflight {
  private readonly parts: PreflightParts;
  private timer: Timer | undefined;
  private isOver = false;
  private reason: StartupReason = 'starting';
  /** Resolved by the next check that finds no obstacle. */
  private passing = Promise.withResolvers<void>();
  private readonly stopped = Promise.withResolvers<never>();

  constructor(parts: PreflightParts) {
    this.parts = parts;
    // If `stop` is called, no caller may be waiting for this promise.
    this.stopped.promise.catch(() => {});
  }

  /** Opens the store as soon as a check finds no obstacle. Retries if the error can pass. Rejects when `stop` is called. */
  async opening<T>(open: () => Promise<T>): Promise<T> {
    const stopped = this.stopped.promise;
    void this.look();
    try {
      for (;;) {
        await Promise.race([this.passing.promise, stopped]);
        this.passing = Promise.withResolvers<void>();
        try {
          return await Promise.race([open(), stopped]);
        } catch (error) {
          if (!mayPass(error)) throw error;
          this.parts.log.write('warn', 'storage.opening_failed', { error: explained(error) });
        }
      }
    } finally {
      this.end();
    }
  }

  stop(): void {
    this.end();
    this.stopped.reject(new Error('the server was stopped before the store was open'));
  }

  private end(): void {
    this.isOver = true;
    this.timer?.cancel();
  }

  private async look(): Promise<void> {
    const { world, look } = this.parts;
    this.timer = world.scheduler.after(intervalMs, () => void this.look());
    const sight = await look(timeoutMs);
    if (this.isOver) return;
    this.held(sight);
    if (sight.kind === 'ok') this.passing.resolve();
  }

  private held(sight: BucketSight): void {
    const { lifecycle, log } = this.parts;
    const reason = reasons[sight.kind];
    lifecycle.held(reason);
    if (reason === this.reason) return;
    this.reason = reason;
    if (sight.kind === 'ok') log.write('info', 'storage.recovered');
    else log.write('error', 'storage.unavailable', { reason, error: explained(sight.error) });
  }
}

function mayPass(error: unknown): boolean {
  const kind = error instanceof StorageError ? error.fault.kind : undefined;
  return kind === 'unavailable' || kind === 'unauthorized' || kind === 'bucket_missing';
}

function explained(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error ? `${String(error)}: ${cause.message}` : String(error);
}
