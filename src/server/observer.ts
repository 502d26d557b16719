/** Watches the store once a second, so that a probe never has to ask it (operations.md §1.2). */

import type { Timer, World } from '#base';
import type { Engine } from '#engine';
import type { ServerLifecycle } from './lifecycle.ts';
import type { Log } from './log.ts';

const intervalMs = 1000;

export interface StorageObserver {
  readonly lost: Promise<'fenced' | 'task_failed'>;
  stop(): void;
}

export function observeStorage(
  engine: Engine,
  lifecycle: ServerLifecycle,
  { world, log }: { readonly world: World; readonly log: Log },
): StorageObserver {
  const { promise, resolve } = Promise.withResolvers<'fenced' | 'task_failed'>();
  let timer: Timer | undefined;
  const look = () => {
    const health = engine.checkStorage();
    lifecycle.observed(health.kind === 'ok');
    if (health.kind === 'ok') {
      timer = world.scheduler.after(intervalMs, look);
      return;
    }
    const how = health.kind === 'fenced' ? 'fenced' : 'task_failed';
    log.write('error', `storage.${health.kind}`, { error: health.error.message });
    lifecycle.lost(how);
    resolve(how);
  };
  timer = world.scheduler.after(intervalMs, look);
  return { lost: promise, stop: () => timer?.cancel() };
}
