/** Opens the database, waits as long as its storage requires, and reports the reason of the wait on `/startupz`. */

import { concurrencyOf, pause, poolBytesDefault, type World } from '#base';
import { type Engine, type EngineOptions, type FormerDatabase, openEngine } from '#engine';
import type { StartupReason } from '#http';
import { lookAtBucket, StorageError } from '#storage';
import { type Address, formatAddress } from './address.ts';
import type { ServeConfiguration } from './configuration.ts';
import type { ServerLifecycle } from './lifecycle.ts';
import type { Log } from './log.ts';
import type { PostgresConfiguration } from './postgres/options.ts';
import { Preflight } from './preflight.ts';
import type { OpenSpill } from './spill-space.ts';

const retryMs = 1000;

export interface StartupParts {
  readonly configuration: ServeConfiguration;
  readonly lifecycle: ServerLifecycle;
  readonly world: World;
  readonly log: Log;
  /** The address of the public listener. */
  readonly address: Address;
  readonly openSpill: OpenSpill;
  readonly onJob?: EngineOptions['onJob'];
}

export class DatabaseStartup {
  private readonly parts: StartupParts;
  private readonly stopped = new AbortController();
  private preflight: Preflight | undefined;
  private told: string | undefined;

  constructor(parts: StartupParts) {
    this.parts = parts;
  }

  /** Opens the database. Rejects with an error that does not pass by itself, and when `stop` is called. */
  open(former?: FormerDatabase): Promise<Engine> {
    this.sayWhatIsAwaited();
    const open = () => openEngine({ ...this.engineOptions(), former });
    this.preflight = this.preflightOf();
    return this.preflight?.opening(open) ?? open();
  }

  /** Reopens the database after its storage was lost. Retries until the storage is available again. */
  async reopen(former: FormerDatabase): Promise<Engine> {
    for (;;) {
      try {
        return await this.open(former);
      } catch (error) {
        if (this.stopped.signal.aborted || !mayComeBack(error)) throw error;
        await pause(this.parts.world.scheduler, retryMs);
        if (this.stopped.signal.aborted) throw error;
      }
    }
  }

  /** Logs that a reader listens before it has read the store of the writer. Until then it responds with 503. */
  private sayWhatIsAwaited(): void {
    const { configuration, log } = this.parts;
    if (configuration.role !== 'read') return;
    const message = 'opening the store; requests get 503 until it is open';
    log.write('info', 'storage.opening', { message });
  }

  stop(): void {
    this.stopped.abort();
    this.preflight?.stop();
  }

  /** Returns the check of the bucket. Only a remote store can be unreachable, so other stores have none. */
  private preflightOf(): Preflight | undefined {
    const { configuration, ...parts } = this.parts;
    const { s3 } = configuration;
    if (s3 === undefined) return undefined;
    const { world } = parts;
    const look = (requestTimeoutMs: number) => lookAtBucket({ ...s3, world, requestTimeoutMs });
    return new Preflight({ ...parts, look });
  }

  private engineOptions(): EngineOptions {
    const { configuration, world, address } = this.parts;
    return {
      storage: configuration.storage,
      path: configuration.storagePath,
      s3: configuration.s3,
      mode: configuration.catalogMode,
      world,
      tuning: configuration.tuning,
      programMemoryBytes: configuration.programMemoryBytes,
      statementTimeoutMs: configuration.statementTimeoutMs,
      memoryBytes: configuration.memoryBytes ?? poolBytesDefault(),
      openSpill: this.parts.openSpill,
      concurrency: concurrencyOf(),
      queueMax: configuration.queueMax,
      holderAddress: formatAddress(address),
      onJob: this.parts.onJob,
      capturesCorpus: configuration.capturesCorpus,
      openTransactions: configuration.postgres && limitsOf(configuration.postgres),
      reading: configuration.role === 'read' ? this.reading() : undefined,
    };
  }

  private reading() {
    return {
      pollMs: this.parts.configuration.pollMs,
      signal: this.stopped.signal,
      waiting: (error: unknown) => this.held(error),
    };
  }

  /** Reports why a reader waits for a store that does not exist yet. */
  private held(error: unknown): void {
    const { lifecycle, log } = this.parts;
    const reason = reasonOf(error);
    lifecycle.held(reason);
    const message = String(error);
    if (message === this.told) return;
    this.told = message;
    log.write('warn', 'process.startup_held', { reason, error: message });
  }
}

/** Each connection can have a transaction. */
function limitsOf(postgres: PostgresConfiguration): EngineOptions['openTransactions'] {
  return {
    openMax: postgres.connectionsMax,
    wholeMs: postgres.transactionTimeoutMs,
    idleMs: postgres.idleTransactionTimeoutMs,
  };
}

/** Returns whether the error can pass without an action in this process. */
function mayComeBack(error: unknown): boolean {
  const kinds = ['io', 'full', 'unavailable', 'unauthorized', 'bucket_missing'];
  return error instanceof StorageError && kinds.includes(error.fault.kind);
}

function reasonOf(error: unknown): StartupReason {
  if (!(error instanceof StorageError)) return 'storage_unreachable';
  switch (error.fault.kind) {
    case 'empty':
      return 'starting';
    case 'unauthorized':
      return 'storage_unauthorized';
    case 'bucket_missing':
      return 'storage_bucket_missing';
    default:
      return isForbidden(error.cause) ? 'storage_unauthorized' : 'storage_unreachable';
  }
}

function isForbidden(cause: unknown): boolean {
  const { code } = (cause ?? {}) as { readonly code?: unknown };
  return code === 'EACCES' || code === 'EPERM';
}
