/** Checks the store once a second, so that a probe never needs to access it (docs/monitoring.md). */

import type { Timer, World } from '#base';
import type { Engine } from '#engine';
import { describeChain } from '#http';
import type { TableDamage } from '#storage';
import type { ServerLifecycle } from './lifecycle.ts';
import type { Log } from './log.ts';

const intervalMs = 1000;

/** `broken` means that the database must be reopened. The other values are permanent. */
export type Loss = 'broken' | 'fenced' | 'task_failed';

interface ObserverParts {
  readonly engine: Pick<Engine, 'checkStorage' | 'endWrites'>;
  readonly lifecycle: ServerLifecycle;
  readonly world: World;
  readonly log: Log;
}

export class StorageObserver {
  /** Resolves when this database can no longer be used. */
  readonly lost: Promise<Loss>;
  private readonly parts: ObserverParts;
  private readonly resolveLost: (how: Loss) => void;
  private timer: Timer | undefined;
  private isStopped = false;
  private isAvailable = true;
  private readonly reported = new Set<string>();

  private threadsLost = 0;
  private isUnlocked = false;

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
        this.reportUnlocked(health.lockUnavailable);
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
        if (health.isWorker) this.reportLost('transitions', 'no transition makes progress');
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
    else {
      const remedy =
        'make the storage location accessible, writable and not full: the server then continues without a restart';
      log.write('error', 'storage.unavailable', { error: describeChain(trouble), remedy });
    }
  }

  private countThreads(lost: number): void {
    if (lost > this.threadsLost)
      this.reportLost('merges', 'the compaction of the thread is repeated');
    this.threadsLost = lost;
  }

  /** Logs once that a second process on the directory is not refused at its start. */
  private reportUnlocked(reason: string | undefined): void {
    if (reason === undefined || this.isUnlocked) return;
    this.isUnlocked = true;
    this.parts.log.write('warn', 'storage.unlocked', {
      reason,
      effect: 'a second writer on this directory is not refused: its start ends this one',
      remedy: 'use a file system with flock, or make sure that only one server starts',
    });
  }

  private reportLost(worker: string, effect: string): void {
    this.parts.log.write('error', 'scheduler.worker_lost', { worker, effect });
  }

  /** Logs each damage once. The database continues, and reads of the damaged part fail. */
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
      effect:
        'keys in this part of the table can be neither read nor written; all other keys are unaffected',
      remedy: 'restore the file from a backup; `svc doctor store` lists all damaged files',
    });
  }

  private lose(kind: 'fenced' | 'failed', error: unknown): void {
    const { engine, lifecycle, log } = this.parts;
    // The store itself refuses writes after another writer has taken over, with a more detailed error.
    if (kind === 'failed') engine.endWrites();
    const how = kind === 'fenced' ? 'fenced' : 'task_failed';
    lifecycle.lost(how);
    log.write('error', `storage.${kind}`, { error: String(error) });
    this.resolveLost(how);
  }
}
