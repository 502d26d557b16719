/** Watches the store once a second, so that a probe never has to ask it (operations.md §1.2). */

import type { Timer, World } from '#base';
import type { Engine } from '#engine';
import type { ServerLifecycle } from './lifecycle.ts';
import type { Log } from './log.ts';

const intervalMs = 1000;

/** `broken`: the database must be opened again. The others are for good. */
export type Loss = 'broken' | 'fenced' | 'task_failed';

export interface ObserverParts {
  readonly engine: Pick<Engine, 'checkStorage'>;
  readonly lifecycle: ServerLifecycle;
  readonly world: World;
  readonly log: Log;
}

export class StorageObserver {
  /** Resolves when this database may not be used any more. */
  readonly lost: Promise<Loss>;
  private readonly parts: ObserverParts;
  private readonly resolveLost: (how: Loss) => void;
  private timer: Timer | undefined;
  private isStopped = false;
  private isAvailable = true;
  private readonly reported = new Set<string>();

  constructor(parts: ObserverParts) {
    this.parts = parts;
    const { promise, resolve } = Promise.withResolvers<Loss>();
    this.lost = promise;
    this.resolveLost = resolve;
  }

  start(): void {
    this.timer = this.parts.world.scheduler.after(intervalMs, () => void this.look());
  }

  stop(): void {
    this.isStopped = true;
    this.timer?.cancel();
  }

  private async look(): Promise<void> {
    const health = await this.parts.engine.checkStorage();
    if (this.isStopped) return;
    switch (health.kind) {
      case 'ok':
        this.observed(undefined);
        for (const table of health.damaged) this.report(table);
        this.start();
        return;
      case 'unavailable':
        this.observed(health.error);
        this.start();
        return;
      case 'broken':
        this.observed(health.error);
        this.resolveLost('broken');
        return;
      case 'fenced':
      case 'failed':
        this.lose(health.kind, health.error);
    }
  }

  private observed(trouble: unknown): void {
    const { lifecycle, log } = this.parts;
    const isOk = trouble === undefined;
    lifecycle.observed(isOk);
    if (isOk === this.isAvailable) return;
    this.isAvailable = isOk;
    if (isOk) log.write('info', 'storage.recovered');
    else log.write('error', 'storage.unavailable', { error: String(trouble) });
  }

  /** Once each: the database goes on, and reads of what the table held fail. */
  private report(table: string): void {
    if (this.reported.has(table)) return;
    this.reported.add(table);
    this.parts.log.write('error', 'storage.damaged', {
      table,
      effect: 'reads of what it holds fail; it is not merged any more',
      remedy: 'restore the file, or the store, from a backup and start again',
    });
  }

  private lose(kind: 'fenced' | 'failed', error: unknown): void {
    const { lifecycle, log } = this.parts;
    const how = kind === 'fenced' ? 'fenced' : 'task_failed';
    lifecycle.lost(how);
    log.write('error', `storage.${kind}`, { error: String(error) });
    this.resolveLost(how);
  }
}
