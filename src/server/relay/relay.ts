/** The statistics relay of a serving process: the internal listener of a writer, or the sender of a reader. */

import type { World } from '#base';
import type { Engine } from '#engine';
import { createInternalHandler } from '#http';
import { Receiver, Sender } from '#relay';
import type { Address } from '../address.ts';
import type { SocketTable } from '../connections/socket-table.ts';
import { WatchedListener } from '../connections/watched-listener.ts';
import type { Log } from '../log.ts';
import type { TlsEntry } from '../tls/tls-entry.ts';
import { isDoneWithin } from '../waiting.ts';
import type { RelayConfiguration } from './options.ts';
import { postTo } from './post.ts';
import { readAuthorities, readServerTls } from './tls.ts';
import { readToken } from './token-file.ts';

/** Maximum connections of other processes on the same database: a few processes with one or two connections each. */
const connectionsMax = 128;
const unauthorizedEveryMs = 10_000;
/** Time for sending the last statistics on shutdown. */
const flushMsMax = 2_000;

const events = {
  connected: 'relay.connected',
  retrying: 'relay.retrying',
  losing: 'relay.losing',
} as const;

interface RelayParts {
  readonly configuration: RelayConfiguration;
  readonly instance: string;
  readonly engine: () => Engine | undefined;
  readonly world: World;
  readonly log: Log;
  readonly table: SocketTable | undefined;
}

export class Relay {
  private readonly parts: RelayParts;
  private readonly receiver: Receiver;
  private readonly sender: Sender | undefined;
  private readonly listener: WatchedListener | undefined;
  private toldMs = Number.NEGATIVE_INFINITY;
  private recording: Engine | undefined;

  /** Listens immediately. Throws if the address is not available, and a `RefusedOption` if a file is unusable. */
  constructor(parts: RelayParts) {
    this.parts = parts;
    const { configuration, engine, world } = parts;
    const token = readToken(configuration.tokenPath);
    const { tls: files, caPath } = configuration;
    const tls = files && readServerTls(files.certPath, files.keyPath);
    this.receiver = new Receiver({
      clock: world.clock,
      fold: () => {
        const open = engine();
        return open && ((told) => open.foldTold(told));
      },
      adopt: () => engine()?.adoptPrograms,
      isConfidential: tls !== undefined,
    });
    const { listen: address, target } = configuration;
    if (address !== undefined) this.listener = this.listen(token, address, tls);
    const ca = caPath === undefined ? undefined : readAuthorities(caPath);
    if (target !== undefined) this.sender = this.send(token, target, ca);
  }

  /** The address of the internal listener. */
  get address(): Address | undefined {
    return this.listener?.address;
  }

  /** Returns the counts for `StatisticsRelay`. */
  report() {
    return { ...this.receiver.report(), ...this.sender?.report() };
  }

  /** Starts recording statistics after the database was opened. */
  opened(engine: Engine): void {
    if (this.sender === undefined) return;
    engine.recordExecutions();
    const isFirst = this.recording === undefined;
    this.recording = engine;
    if (isFirst) this.sender.start();
  }

  /** Sends the last statistics. Called after all programs have ended and before the database is closed. */
  async stop(): Promise<void> {
    const { world } = this.parts;
    if (this.recording !== undefined) {
      const { sender, recording } = this;
      const last = recording.endCapture().then(() => (sender as Sender).stop());
      await isDoneWithin(world, flushMsMax, last);
    }
    await this.listener?.stop();
  }

  private listen(token: string, address: Address, tls?: TlsEntry): WatchedListener {
    const { world, log, table } = this.parts;
    const handler = createInternalHandler({
      token,
      receiver: this.receiver,
      scheduler: world.scheduler,
      onUnauthorized: (from) => this.unauthorized(from),
    });
    const flag = '--internal-addr';
    const name = 'internal';
    const shared = { handler, address, name, flag, connectionsMax, world, log, table };
    return new WatchedListener({ ...shared, tls: tls && [tls] });
  }

  private send(token: string, target: string, ca: string | undefined): Sender {
    const { world, log, instance, engine } = this.parts;
    return new Sender({
      world,
      instance,
      take: () => engine()?.takeTold(),
      takePrograms: () => engine()?.takePrograms() ?? [],
      // A target with https proves its identity before any data is sent.
      isConfidential: target.startsWith('https:'),
      post: postTo({ target, token, ca, scheduler: world.scheduler }),
      onState: (state, said) => {
        const level = state === 'losing' ? 'warn' : 'info';
        if (state !== 'idle') log.write(level, events[state], { relay_target: target, said });
      },
    });
  }

  /** Logs an unauthorized request, at most one in ten seconds. */
  private unauthorized(client_ip: string | undefined): void {
    const { world, log } = this.parts;
    const nowMs = world.clock.monotonicMs();
    if (nowMs - this.toldMs < unauthorizedEveryMs) return;
    this.toldMs = nowMs;
    log.write('warn', 'relay.unauthorized', { client_ip });
  }
}
