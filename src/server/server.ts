/** One serving process: listens, opens the database, drains. */

import type { AuditLog } from '#authentication';
import { invariant, pause, version, type World } from '#base';
import type { Engine } from '#engine';
import { createHandler, describeChain } from '#http';
import type { PostgresListener } from '#postgres';
import { StorageError } from '#storage';
import { type Address, formatAddress } from './address.ts';
import { openAdmin } from './admin/admin.ts';
import { openAudit, reopenAudit } from './audit/open-audit.ts';
import { admitDatabase, warnOfOpenKeys } from './authentication/admission.ts';
import { credentialKinds } from './authentication/options.ts';
import { ServerAuthentication } from './authentication/server-authentication.ts';
import { watchProtection } from './authentication/watch-protection.ts';
import type { ServeConfiguration } from './configuration.ts';
import { openSocketTable } from './connections/socket-table.ts';
import type { WatchedListener } from './connections/watched-listener.ts';
import { DatabaseStartup, type StartupParts } from './database-startup.ts';
import { handlerOptions } from './handler-options.ts';
import { ServerLifecycle } from './lifecycle.ts';
import type { Log } from './log.ts';
import { LogSink, standardError } from './log-sink.ts';
import { Metrics } from './metrics/metrics.ts';
import { type Loss, StorageObserver } from './observer.ts';
import { openFrontend } from './postgres/frontend.ts';
import { PublicListener } from './public-listener.ts';
import { Relay } from './relay/relay.ts';
import { isReachable } from './security/reachable.ts';
import { prepareDirectories } from './security/storage-directories.ts';
import { spillOpener } from './spill-space.ts';
import { openTelemetryExport, type TelemetryExport } from './telemetry-export.ts';
import { isDoneWithin } from './waiting.ts';

/** Time for the responses to requests that are ended at the end of the drain time. */
const answerMsMax = 5000;

/** The storage location, and whether the database is new. */
export interface OpenedPlace {
  readonly location: string;
  readonly isNew: boolean;
}

/** A loss that reopening the store does not repair. */
type FinalLoss = Exclude<Loss, 'broken'>;

/** `abandoned` means that the store did not close within its time. */
type Closing = 'closed' | 'abandoned';

export class Server {
  readonly url: string;
  /** Resolves with the storage location when the database is open. Rejects with the error that prevents opening. */
  readonly opened: Promise<OpenedPlace>;
  /** Resolves when this process can no longer serve: it is fenced, or its storage is lost. */
  readonly lost: Promise<FinalLoss>;
  private readonly configuration: ServeConfiguration;
  private readonly world: World;
  private readonly log: Log;
  private readonly lifecycle: ServerLifecycle;
  private readonly listener: PublicListener;
  private readonly opening: DatabaseStartup;
  private readonly authentication: ServerAuthentication | undefined;
  private readonly audit: AuditLog | undefined;
  private readonly resolveLost: (how: FinalLoss) => void;
  /** The open database, or the one that is being opened. */
  private engine: Promise<Engine>;
  private readonly metrics: Metrics | undefined;
  private frontend: PostgresListener | undefined;
  private readonly telemetry: TelemetryExport | undefined;
  private readonly relay: Relay | undefined;
  private readonly admin: WatchedListener | undefined;
  /** Whether abandoned work would keep the process alive after shutdown. */
  isHeld = false;
  private observer: StorageObserver | undefined;
  private stopping: Promise<Closing> | undefined;

  /**
   * Listens before the database is open, so that probes report the state. Throws if an address or a directory is not
   * available. `sink` receives the lines of `log`.
   */
  constructor(configuration: ServeConfiguration, world: World, log: Log, sink?: LogSink) {
    this.configuration = configuration;
    this.world = world;
    this.log = log;
    this.lifecycle = new ServerLifecycle(world.clock, configuration.role);
    const isExposed = isReachable(configuration);
    prepareDirectories(configuration);
    const openSpill = spillOpener(configuration.spill, world.random, log);
    const { lifecycle } = this;
    const metrics = configuration.hasMetrics
      ? new Metrics({ engine: () => lifecycle.engine, availability: lifecycle.availability })
      : undefined;
    this.metrics = metrics;
    const table = openSocketTable();
    this.telemetry = openTelemetryExport(configuration, world, metrics, log);
    const { audit } = configuration;
    this.audit =
      audit && openAudit(audit, { world, log, sink: sink ?? new LogSink(standardError()) });
    this.authentication = this.authenticationOf();
    const handler = createHandler(
      handlerOptions(configuration, {
        lifecycle,
        world,
        log,
        pressure: () => this.listener?.pressure ?? 'normal',
        sendContinue: (client) => this.listener.sendContinue(client),
        metrics,
        tracing: this.telemetry?.tracing,
        relay: () => this.relay?.report(),
        authenticator: this.authentication,
        auditLog: this.audit,
      }),
    );
    if (metrics !== undefined) {
      metrics.counters = handler.counters;
      metrics.audit = this.audit;
    }
    this.listener = new PublicListener({ configuration, handler, world, log, table });
    const { address } = this.listener;
    this.url = this.listener.url;
    log.write('debug', 'process.started', {
      version,
      pid: process.pid,
      role: configuration.role,
      storage: configuration.storage,
    });
    for (const bound of this.listener.addresses)
      log.write('debug', 'listener.started', { address: formatAddress(bound) });
    if (isExposed) warnExposed(log, address);
    const { relay, admin, instanceId: instance } = configuration;
    const shared = { engine: () => lifecycle.engine, world, log, table };
    try {
      // If the default admin port is that of the relay, the relay gets it.
      this.relay = relay && new Relay({ ...shared, configuration: relay, instance });
      this.admin = admin && openAdmin({ ...shared, configuration: admin });
    } catch (error) {
      void this.relay?.stop();
      this.listener.stop();
      this.listener.abort();
      throw error;
    }
    const { promise, resolve } = Promise.withResolvers<FinalLoss>();
    this.lost = promise;
    this.resolveLost = resolve;
    const onJob = this.jobWatch(metrics);
    this.opening = new DatabaseStartup({
      configuration,
      lifecycle,
      world,
      log,
      address,
      openSpill,
      onJob,
    });
    this.engine = this.opening.open();
    this.opened = this.open();
  }

  /** Drains and closes. Every call returns the same promise. */
  stop(): Promise<Closing> {
    this.stopping ??= this.drain();
    return this.stopping;
  }

  /** Reads the certificates of all listeners again, and opens the audit log again. Returns `false` if there is neither. */
  reload(): boolean {
    const { audit, log, listener, relay } = this;
    if (audit !== undefined) reopenAudit(audit, log);
    const areReloaded = [listener.reload(), relay?.reload() === true];
    return areReloaded.includes(true) || this.configuration.audit?.path !== undefined;
  }

  get isStopping(): boolean {
    return this.stopping !== undefined;
  }

  private authenticationOf(): ServerAuthentication | undefined {
    const { configuration, lifecycle, world, log } = this;
    const { authentication } = configuration;
    if (credentialKinds(authentication).length === 0) return undefined;
    const engine = () => {
      const { engine } = lifecycle;
      invariant(engine !== undefined, 'requests are authenticated while the database is open');
      return engine;
    };
    return new ServerAuthentication({ ...authentication, engine, world, log, audit: this.audit });
  }

  /** Counts each step of background work, records it as a span, and logs its failure. */
  private jobWatch(metrics: Metrics | undefined): StartupParts['onJob'] {
    const tracing = this.telemetry?.tracing;
    return (turn) => {
      metrics?.jobs.add(turn);
      if (turn.outcome === 'failed') {
        const { job, kind, error } = turn;
        this.log.write('warn', 'scheduler.job_failed', { job, kind, error: describeChain(error) });
      }
      tracing?.background({
        name: 'svc.scheduler.step',
        beganMs: turn.beganMs,
        endedMs: turn.endedMs,
        attributes: {
          'svc.scheduler.job.kind': turn.kind,
          'svc.scheduler.job.outcome': turn.outcome,
        },
        errorType: turn.outcome === 'failed' ? 'failed' : undefined,
      });
    };
  }

  private async open(): Promise<OpenedPlace> {
    await this.openFrontend();
    const engine = await this.engine;
    const { location } = await engine.info();
    const place = { location, isNew: engine.isNew };
    if (this.isStopping) return place;
    const { configuration, world } = this;
    await this.authentication?.start();
    await admitDatabase(engine, configuration.authentication, {
      role: configuration.role,
      nowMs: world.clock.unixMs(),
    });
    if (configuration.authentication.acceptsKeys) {
      warnOfOpenKeys(engine, world.clock.unixMs(), this.log);
    }
    this.serve(engine);
    this.log.write('debug', 'process.ready', { location, mode: engine.mode });
    return place;
  }

  /** Listens for connections of the PostgreSQL protocol, which are refused until the database is open. */
  private async openFrontend(): Promise<void> {
    const { configuration, lifecycle, world, log, metrics } = this;
    const { postgres, role } = configuration;
    if (postgres === undefined) return;
    const listener = await openFrontend({
      configuration: postgres,
      lifecycle,
      authenticator: this.authentication,
      world,
      log,
      programs: metrics?.sqlPrograms(),
      isReader: role === 'read',
    });
    this.frontend = listener;
    if (metrics !== undefined) metrics.connections = listener;
    if (this.isStopping) listener.abort();
  }

  private serve(engine: Engine): void {
    const { lifecycle, world, log } = this;
    this.observer = new StorageObserver({ engine, lifecycle, world, log });
    this.observer.start();
    this.observer.lost.then((how) => {
      if (how === 'broken') void this.reopen(engine);
      else this.resolveLost(how);
    });
    lifecycle.opened(engine);
    watchProtection(engine, { configuration: this.configuration, lifecycle, log });
    this.relay?.opened(engine);
  }

  /** Reopens the database after its storage failed under `engine`. All commits that were durable exist after the reopening. */
  private async reopen(broken: Engine): Promise<void> {
    const { lifecycle, log, opening } = this;
    lifecycle.interrupted();
    this.engine = broken
      .close()
      .catch(() => {})
      .then(() => opening.reopen(broken.former));
    try {
      const engine = await this.engine;
      if (this.isStopping) return;
      log.write('info', 'storage.recovered');
      this.tellLostCommits(broken.newestSequence - engine.newestSequence);
      this.serve(engine);
    } catch (error) {
      if (this.isStopping) return;
      const how = lossOf(error);
      lifecycle.lost(how);
      log.write('error', how === 'fenced' ? 'storage.fenced' : 'storage.failed', {
        error: String(error),
      });
      this.resolveLost(how);
    }
  }

  /** Logs lost commits. If commits are acknowledged before they are durable, a failure of the log can lose some of them. */
  private tellLostCommits(commits: number): void {
    if (this.configuration.tuning.commitDurability !== 'memory' || commits <= 0) return;
    const message =
      'the log failed before these acknowledged commits were durable; they are lost (--store-commit-durability memory)';
    this.log.write('error', 'storage.commits_lost', { commits, message });
  }

  private async drain(): Promise<Closing> {
    const { lifecycle, world, log, configuration } = this;
    const { hasServed } = lifecycle;
    lifecycle.drain();
    // A failed start is reported separately.
    const level = hasServed ? 'info' : 'debug';
    log.write(level, 'process.draining');
    if (hasServed) await pause(world.scheduler, configuration.drainMs);
    await this.finishRequests();
    await this.relay?.stop();
    await this.admin?.stop();
    this.listener.stop();
    this.observer?.stop();
    this.authentication?.stop();
    this.opening.stop();
    // A server that has never served has nothing to export.
    if (hasServed) this.isHeld = (await this.telemetry?.stop()) === false;
    const engine = await this.engine.catch(() => undefined);
    lifecycle.closed();
    const closing = engine === undefined ? Promise.resolve() : engine.close();
    this.audit?.close();
    if (await isDoneWithin(world, configuration.closeTimeoutMs, closing)) {
      log.write(level, 'process.stopped');
      return 'closed';
    }
    log.write('error', 'process.failed', { error: 'the store did not close in time' });
    return 'abandoned';
  }

  /**
   * Waits for running requests, within the drain time. Requests that have not finished shortly before its end are ended,
   * and the rest of the time is for their responses.
   */
  private async finishRequests(): Promise<void> {
    const { world, log, listener } = this;
    const { drainTimeoutMs } = this.configuration;
    const drained = Promise.all([listener.drain(), this.frontend?.drain()]).then(() => {});
    const answerMs = Math.min(answerMsMax, Math.ceil(drainTimeoutMs / 4));
    // 0 waits without a limit.
    const finishMs = drainTimeoutMs && Math.max(1, drainTimeoutMs - answerMs);
    if (await isDoneWithin(world, finishMs, drained)) return;
    log.write('warn', 'process.drain_timeout', {
      message: 'stopping the requests that are still running; no acknowledged commit is lost',
    });
    void this.engine.then((engine) => engine.endPrograms()).catch(() => {});
    if (await isDoneWithin(world, answerMs, drained)) return;
    listener.abort();
    this.frontend?.abort();
  }
}

/** Returns the kind of the loss. If another process has locked the directory, it is the writer now. */
function lossOf(error: unknown): FinalLoss {
  const kind = error instanceof StorageError ? error.fault.kind : undefined;
  return kind === 'fenced' || kind === 'locked' ? 'fenced' : 'task_failed';
}

function warnExposed(log: Log, address: Address): void {
  log.write('warn', 'listener.exposed', {
    message: `the server has no authentication: every client that can reach ${formatAddress(address)} can read and change all data`,
  });
}
