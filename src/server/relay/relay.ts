/** What a serving process has of the relay: a writer its internal listener, a reader its sender. */

import type { World } from '#base';
import type { Engine } from '#engine';
import { createInternalHandler } from '#http';
import { Receiver, Sender } from '#relay';
import { formatAddress } from '../address.ts';
import { ConnectionWatch } from '../connections/connection-watch.ts';
import type { SocketTable } from '../connections/socket-table.ts';
import { type Listener, listen } from '../listener.ts';
import type { Log } from '../log.ts';
import { isDoneWithin } from '../waiting.ts';
import type { RelayConfiguration } from './options.ts';
import { postTo } from './post.ts';
import { readToken } from './token-file.ts';

/** Of other processes on the same database: a few, with a connection or two each. */
const connectionsMax = 128;
/** A connection without traffic is closed. */
const idleSeconds = 10;
/** As the public listener has them. */
const unreadBytes = 64 << 10;
const unauthorizedEveryMs = 10_000;
/** For what is told last, at a stop. */
const flushMsMax = 2_000;
const drainMsMax = 2_000;

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
  private readonly listener: Listener | undefined;
  private readonly connections: ConnectionWatch | undefined;
  private toldMs = Number.NEGATIVE_INFINITY;
  private recording: Engine | undefined;

  /** Listens at once. Throws when the address cannot be had; a RefusedOption for the token. */
  constructor(parts: RelayParts) {
    this.parts = parts;
    const { configuration, engine, world } = parts;
    const token = readToken(configuration.tokenPath);
    this.receiver = new Receiver({
      clock: world.clock,
      fold: () => {
        const open = engine();
        return open && ((told) => open.foldTold(told));
      },
      isConfidential: false,
    });
    const { listen: address, target } = configuration;
    if (address !== undefined) {
      const opened = this.listen(token, address);
      this.listener = opened.listener;
      this.connections = opened.connections;
    }
    if (target !== undefined) this.sender = this.send(token, target);
  }

  /** Where the internal listener is. */
  get address(): Listener['address'] | undefined {
    return this.listener?.address;
  }

  /** As `StatisticsRelay` has them. */
  report() {
    return { ...this.receiver.report(), ...this.sender?.report() };
  }

  /** The database is open: from here on there is something to tell. */
  opened(engine: Engine): void {
    if (this.sender === undefined) return;
    engine.recordExecutions();
    const isFirst = this.recording === undefined;
    this.recording = engine;
    if (isFirst) this.sender.start();
  }

  /** When no program runs any more, before the database is closed. */
  async stop(): Promise<void> {
    const { world } = this.parts;
    if (this.recording !== undefined) {
      await isDoneWithin(world, flushMsMax, (this.sender as Sender).stop());
    }
    const { listener } = this;
    if (listener === undefined) return;
    if (!(await isDoneWithin(world, drainMsMax, listener.drain()))) listener.abort();
    this.connections?.stop();
  }

  private listen(token: string, address: Listener['address']) {
    const { world, log, table } = this.parts;
    const handler = createInternalHandler({
      token,
      receiver: this.receiver,
      scheduler: world.scheduler,
      onUnauthorized: (from) => this.unauthorized(from),
    });
    const flag = '--internal-addr';
    const listener = listen({ ...handler, address, world, idleSeconds, flag });
    const { port } = listener.address;
    for (const bound of listener.addresses)
      log.write('info', 'listener.started', {
        address: formatAddress(bound),
        listener: 'internal',
      });
    if (table === undefined) return { listener, connections: undefined };
    table.boundUnread(port, unreadBytes);
    const connections = new ConnectionWatch({
      ...handler,
      table,
      world,
      log,
      connectionsMax,
      port,
    });
    connections.start();
    return { listener, connections };
  }

  private send(token: string, target: string): Sender {
    const { world, log, instance, engine } = this.parts;
    return new Sender({
      world,
      instance,
      take: () => engine()?.takeTold(),
      post: postTo(target, token, world.scheduler),
      onState: (state, said) => {
        const level = state === 'losing' ? 'warn' : 'info';
        if (state !== 'idle') log.write(level, events[state], { target, said });
      },
    });
  }

  /** One line in ten seconds, whoever asks how often. */
  private unauthorized(client_ip: string | undefined): void {
    const { world, log } = this.parts;
    const nowMs = world.clock.monotonicMs();
    if (nowMs - this.toldMs < unauthorizedEveryMs) return;
    this.toldMs = nowMs;
    log.write('warn', 'relay.unauthorized', { client_ip });
  }
}
