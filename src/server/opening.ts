/** Gets the database open, however long its storage makes it wait, and says on `/startupz` what it waits for. */

import { concurrencyOf, pause, poolBytesDefault, type World } from '#base';
import { type Engine, type EngineOptions, type FormerDatabase, openEngine } from '#engine';
import type { StartupReason } from '#http';
import { lookAtBucket, type SpillSpace, StorageError } from '#storage';
import { type Address, formatAddress } from './address.ts';
import type { ServeConfiguration } from './configuration.ts';
import type { ServerLifecycle } from './lifecycle.ts';
import type { Log } from './log.ts';
import { Preflight } from './preflight.ts';

const retryMs = 1000;

export interface OpeningParts {
  readonly configuration: ServeConfiguration;
  readonly lifecycle: ServerLifecycle;
  readonly world: World;
  readonly log: Log;
  /** Where this process listens. */
  readonly address: Address;
  readonly spill: SpillSpace | undefined;
  readonly onJob?: EngineOptions['onJob'];
}

export class Opening {
  private readonly parts: OpeningParts;
  private readonly stopped = new AbortController();
  private preflight: Preflight | undefined;
  private told: string | undefined;

  constructor(parts: OpeningParts) {
    this.parts = parts;
  }

  /** Rejects with what will not pass by itself, and at `stop`. */
  open(former?: FormerDatabase): Promise<Engine> {
    this.sayWhatIsAwaited();
    const open = () => openEngine({ ...this.engineOptions(), former });
    this.preflight = this.preflightOf();
    return this.preflight?.opening(open) ?? open();
  }

  /** After the storage was lost under an open database: tries until it is back. */
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

  /** A reader listens before it has read what the writer left: until then its answers are 503. */
  private sayWhatIsAwaited(): void {
    const { configuration, log } = this.parts;
    if (configuration.role !== 'read') return;
    const message = 'the store is being read: requests are answered with 503 until that is done';
    log.write('info', 'storage.opening', { message });
  }

  stop(): void {
    this.stopped.abort();
    this.preflight?.stop();
  }

  /** Only a remote store may be out of reach. */
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
      spill: this.parts.spill,
      concurrency: concurrencyOf(),
      queueMax: configuration.queueMax,
      holderAddress: formatAddress(address),
      onJob: this.parts.onJob,
      capturesCorpus: configuration.capturesCorpus,
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

  /** A reader waits for a store that is not there yet. */
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

/** What passes without anybody but the storage doing something. */
function mayComeBack(error: unknown): boolean {
  const kinds = ['io', 'full', 'unavailable', 'unauthorized', 'bucket_missing'];
  return error instanceof StorageError && kinds.includes(error.trouble.kind);
}

function reasonOf(error: unknown): StartupReason {
  if (!(error instanceof StorageError)) return 'storage_unreachable';
  switch (error.trouble.kind) {
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
