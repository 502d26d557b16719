/** The statistics relay of a serving process: the internal listener of a writer, or the sender of a reader. */

import type { World } from '#base';
import type { Engine } from '#engine';
import { createInternalHandler } from '#http';
import { Receiver, Sender } from '#relay';
import type { Address } from '../address.ts';
import type { SocketTable } from '../connections/socket-table.ts';
import { WatchedListener } from '../connections/watched-listener.ts';
import type { Log } from '../log.ts';
import { CertificateReload } from '../tls/certificate-reload.ts';
import type { TlsConfiguration } from '../tls/options.ts';
import { readCertificates, readPair } from '../tls/pem.ts';
import { isDoneWithin } from '../waiting.ts';
import type { RelayConfiguration } from './options.ts';
import { postTo } from './post.ts';
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
  private certificates: CertificateReload | undefined;
  private toldMs = Number.NEGATIVE_INFINITY;
  private recording: Engine | undefined;

  /** Listens immediately. Throws if the address is not available, and a `RefusedOption` if a file is unusable. */
  constructor(parts: RelayParts) {
    this.parts = parts;
    const { configuration, engine, world } = parts;
    const token = readToken(configuration.tokenPath);
    const { tls } = configuration;
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
    if (target !== undefined) this.sender = this.send(token, target);
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
    this.certificates?.stop();
    await this.listener?.stop();
  }

  /** Reads the certificates of the internal listener again. Returns whether it has any. */
  reload(): boolean {
    this.certificates?.reload();
    return this.certificates !== undefined;
  }

  private listen(token: string, address: Address, tls?: TlsConfiguration): WatchedListener {
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
    this.certificates =
      tls && new CertificateReload({ configuration: tls, world, log, listener: name });
    const listener = new WatchedListener({ ...shared, tls: this.certificates?.entries });
    this.certificates?.start((entries) => listener.replace(entries));
    return listener;
  }

  private send(token: string, target: string): Sender {
    const { world, log, instance, engine, configuration } = this.parts;
    const { caPath, client: files } = configuration;
    const ca = caPath && readCertificates('--relay-ca', caPath).pem;
    const client = files && readPair({ cert: '--relay-cert', key: '--relay-key' }, files);
    return new Sender({
      world,
      instance,
      take: () => engine()?.takeTold(),
      takePrograms: () => engine()?.takePrograms() ?? [],
      // A target with https proves its identity before any data is sent.
      isConfidential: target.startsWith('https:'),
      post: postTo({ target, token, ca, client, scheduler: world.scheduler }),
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
