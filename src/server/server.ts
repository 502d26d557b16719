/** One serving process: listens, opens the database, drains. */

import { availableParallelism } from 'node:os';
import type { World } from '#base';
import { openEngine } from '#engine';
import { createApp } from '#http';
import { type Address, formatAddress } from './address.ts';
import type { ServeConfiguration } from './configuration.ts';
import { ServerLifecycle } from './lifecycle.ts';
import type { Log } from './log.ts';
import { observeStorage } from './observer.ts';

export interface RunningServer {
  /** With the port that was really bound. */
  readonly address: Address;
  readonly url: string;
  readonly location: string;
  /** Resolves when this process may not go on serving: fenced, or storage lost. */
  readonly lost: Promise<'fenced' | 'task_failed'>;
  /** Drains and closes; safe to call twice. */
  stop(): Promise<void>;
}

/** Deep enough for any honest program; counted on the bytes before parsing. */
const depthMax = 1024;

/** Listens before it opens, so that probes tell what is going on. Throws what keeps the database from opening. */
export async function startServer(
  configuration: ServeConfiguration,
  world: World,
  log: Log,
): Promise<RunningServer> {
  const lifecycle = new ServerLifecycle(world.clock);
  const listener = listen(configuration, world, { lifecycle, log });
  const address = { ...configuration.address, port: listener.port ?? configuration.address.port };
  try {
    const engine = await openEngine(engineOptions(configuration, world, address));
    lifecycle.opened(engine);
    const observer = observeStorage(engine, lifecycle, { world, log });
    const { location } = await engine.info();
    const stop = once(async () => {
      lifecycle.drain();
      observer.stop();
      log.write('info', 'server.draining');
      await pause(world, configuration.drainMs);
      await listener.stop();
      await withTimeout(world, configuration.closeTimeoutMs, engine.close());
      log.write('info', 'server.stopped');
    });
    return {
      address,
      url: `http://${formatAddress(address)}`,
      location,
      lost: observer.lost,
      stop,
    };
  } catch (error) {
    await listener.stop(true);
    throw error;
  }
}

interface ServingParts {
  readonly lifecycle: ServerLifecycle;
  readonly log: Log;
}

function listen(configuration: ServeConfiguration, world: World, { lifecycle, log }: ServingParts) {
  const app = createApp({
    lifecycle,
    limits: { bodyBytesMax: configuration.bodyBytesMax, depthMax },
    random: world.random,
    onInternalError: (incident, error) => {
      const stack = error instanceof Error ? error.stack : undefined;
      log.write('error', 'request.failed', { incident, error: String(error), stack });
    },
  });
  return Bun.serve({
    hostname: configuration.address.host,
    port: configuration.address.port,
    // The application answers an oversized body itself, with a problem; the listener would close without one.
    maxRequestBodySize: 2 ** 40,
    idleTimeout: 0,
    fetch: app.fetch,
  });
}

function engineOptions(configuration: ServeConfiguration, world: World, address: Address) {
  return {
    storage: configuration.storage,
    path: configuration.storagePath,
    mode: configuration.catalogMode,
    world,
    cacheBytes: configuration.cacheBytes,
    programMemoryBytes: configuration.programMemoryBytes,
    statementTimeoutMs: configuration.statementTimeoutMs,
    concurrency: Math.min(64, Math.max(4, availableParallelism() * 4)),
    queueMax: configuration.queueMax,
    holderAddress: formatAddress(address),
  };
}

function once(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | undefined;
  return () => {
    running ??= work();
    return running;
  };
}

function pause(world: World, delayMs: number): Promise<void> {
  if (delayMs === 0) return Promise.resolve();
  return new Promise((resolve) => void world.scheduler.after(delayMs, resolve));
}

/** 0 waits for ever. */
async function withTimeout(world: World, timeoutMs: number, work: Promise<void>): Promise<void> {
  if (timeoutMs === 0) return work;
  await Promise.race([work, pause(world, timeoutMs)]);
}
