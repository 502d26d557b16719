/** Watches the store once a second, so that a probe never has to ask it (docs/monitoring.md). */

import type { Timer, World } from '#base';
import type { Engine } from '#engine';
import type { TableDamage } from '#storage';
import type { ServerLifecycle } from './lifecycle.ts';
import type { Log } from './log.ts';

const intervalMs = 1000;

/** `broken`: the database must be opened again. The others are for good. */
export type Loss = 'broken' | 'fenced' | 'task_failed';

interface ObserverParts {
  readonly engine: Pick<Engine, 'checkStorage' | 'endWrites'>;
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

  private threadsLost = 0;

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
        for (const damage of health.damaged) this.report(damage);
        this.countThreads(health.threadsLost);
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
        if (health.isWorker) this.tellLost('transitions', 'no transition goes on');
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

  private countThreads(lost: number): void {
    if (lost > this.threadsLost) this.tellLost('merges', 'its merge is done again');
    this.threadsLost = lost;
  }

  private tellLost(worker: string, effect: string): void {
    this.parts.log.write('error', 'scheduler.worker_lost', { worker, effect });
  }

  /** Once each: the database goes on, and reads of what the table held fail. */
  private report({ table, kind, detail }: TableDamage): void {
    const news = `${kind} ${table}`;
    if (this.reported.has(news)) return;
    this.reported.add(news);
    if (kind === 'restored') {
      this.parts.log.write('warn', 'storage.restored', { table, detail });
      return;
    }
    this.parts.log.write('error', 'storage.damaged', {
      table,
      kind,
      detail,
      effect: 'what this part of it holds can be neither read nor changed; everything else goes on',
      remedy: 'restore the file from a backup; `svc doctor store` names all that is damaged',
    });
  }

  private lose(kind: 'fenced' | 'failed', error: unknown): void {
    const { engine, lifecycle, log } = this.parts;
    // Another writer's store refuses by itself, with more to say.
    if (kind === 'failed') engine.endWrites();
    const how = kind === 'fenced' ? 'fenced' : 'task_failed';
    lifecycle.lost(how);
    log.write('error', `storage.${kind}`, { error: String(error) });
    this.resolveLost(how);
  }
}
