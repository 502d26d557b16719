/** One serving process: listens, opens the database, drains. */

import { availableParallelism } from 'node:os';
import type { World } from '#base';
import { type Engine, openEngine } from '#engine';
import { createHandler } from '#http';
import { lookAtBucket } from '#storage';
import { type Address, formatAddress, isLoopback } from './address.ts';
import type { ServeConfiguration } from './configuration.ts';
import { handlerOptions } from './handler-options.ts';
import { ServerLifecycle } from './lifecycle.ts';
import { type Listener, listen } from './listener.ts';
import type { Log } from './log.ts';
import { type Loss, StorageObserver } from './observer.ts';
import { Preflight, type PreflightParts } from './preflight.ts';
import { isDoneWithin, pause } from './waiting.ts';

/** `abandoned`: the store did not close within its time. */
export type Closing = 'closed' | 'abandoned';

export class Server {
  readonly url: string;
  /** Where the data is, once the database is open; rejects with what keeps it from opening. */
  readonly opened: Promise<string>;
  /** Resolves when this process may not go on serving: fenced, or storage lost. */
  readonly lost: Promise<Loss>;
  private readonly configuration: ServeConfiguration;
  private readonly world: World;
  private readonly log: Log;
  private readonly lifecycle: ServerLifecycle;
  private readonly listener: Listener;
  private readonly engine: Promise<Engine>;
  private readonly resolveLost: (how: Loss) => void;
  private readonly preflight: Preflight | undefined;
  private observer: StorageObserver | undefined;
  private stopping: Promise<Closing> | undefined;

  /** Listens before it opens, so that probes tell what is going on. Throws when the address cannot be had. */
  constructor(configuration: ServeConfiguration, world: World, log: Log) {
    this.configuration = configuration;
    this.world = world;
    this.log = log;
    this.lifecycle = new ServerLifecycle(world.clock);
    const { lifecycle } = this;
    const handler = createHandler(handlerOptions(configuration, { lifecycle, world, log }));
    this.listener = listen({ ...handler, address: configuration.address, world });
    const { address } = this.listener;
    this.url = `http://${formatAddress(address)}`;
    log.write('debug', 'listener.started', { address: formatAddress(address) });
    if (!isLoopback(address.host)) warnExposed(log, address);
    const { promise, resolve } = Promise.withResolvers<Loss>();
    this.lost = promise;
    this.resolveLost = resolve;
    const openOnce = () => openEngine(engineOptions(configuration, world, address));
    this.preflight = preflightOf(configuration, { lifecycle, world, log });
    this.engine = this.preflight?.opening(openOnce) ?? openOnce();
    this.opened = this.open();
  }

  /** Drains and closes; every call gets the same answer. */
  stop(): Promise<Closing> {
    this.stopping ??= this.drain();
    return this.stopping;
  }

  get isStopping(): boolean {
    return this.stopping !== undefined;
  }

  private async open(): Promise<string> {
    const engine = await this.engine;
    const { location } = await engine.info();
    if (this.isStopping) return location;
    const { lifecycle, world, log } = this;
    this.observer = new StorageObserver({ engine, lifecycle, world, log });
    this.observer.start();
    this.observer.lost.then(this.resolveLost);
    lifecycle.opened(engine);
    log.write('debug', 'process.ready', { location, mode: engine.mode });
    return location;
  }

  private async drain(): Promise<Closing> {
    const { lifecycle, world, log, configuration } = this;
    const hasServed = lifecycle.engine !== undefined;
    lifecycle.drain();
    // A start that fails has its own message.
    const level = hasServed ? 'info' : 'debug';
    log.write(level, 'process.draining');
    if (hasServed) await pause(world, configuration.drainMs);
    await this.listener.drain();
    this.observer?.stop();
    this.preflight?.stop();
    const engine = await this.engine.catch(() => undefined);
    lifecycle.closed();
    const closing = engine === undefined ? Promise.resolve() : engine.close();
    if (await isDoneWithin(world, configuration.closeTimeoutMs, closing)) {
      log.write(level, 'process.stopped');
      return 'closed';
    }
    log.write('error', 'process.failed', { error: 'the store did not close in time' });
    return 'abandoned';
  }
}

/** Only a remote store may be out of reach. */
function preflightOf(
  { s3 }: ServeConfiguration,
  parts: Omit<PreflightParts, 'look'>,
): Preflight | undefined {
  if (s3 === undefined) return undefined;
  const { world } = parts;
  const look = (requestTimeoutMs: number) => lookAtBucket({ ...s3, world, requestTimeoutMs });
  return new Preflight({ ...parts, look });
}

function warnExposed(log: Log, address: Address): void {
  log.write('warn', 'listener.exposed', {
    message: `there is no authentication: everyone who reaches ${formatAddress(address)} can read and change all data`,
  });
}

function engineOptions(configuration: ServeConfiguration, world: World, address: Address) {
  return {
    storage: configuration.storage,
    path: configuration.storagePath,
    s3: configuration.s3,
    mode: configuration.catalogMode,
    world,
    tuning: configuration.tuning,
    programMemoryBytes: configuration.programMemoryBytes,
    statementTimeoutMs: configuration.statementTimeoutMs,
    concurrency: Math.min(64, Math.max(4, availableParallelism() * 4)),
    queueMax: configuration.queueMax,
    holderAddress: formatAddress(address),
  };
}
