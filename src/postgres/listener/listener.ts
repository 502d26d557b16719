/** Listens for connections of the PostgreSQL protocol. */

import type { World } from '#base';
import { Connection, type ConnectionParts } from './connection.ts';
import { ConnectionKeys } from './connections.ts';

interface ListenerOptions
  extends Pick<
    ConnectionParts,
    'environment' | 'tokens' | 'messageBytesMax' | 'sendTimeoutMs' | 'isReader' | 'refusal'
  > {
  readonly host: string;
  readonly port: number;
  readonly connectionsMax: number;
  readonly world: World;
  /** Called when a session has begun, has ended, or was refused. */
  onConnection(event: ConnectionEvent): void;
}

export interface ConnectionEvent {
  readonly kind: 'started' | 'failed' | 'stopped';
  readonly address: string;
  readonly sqlstate?: string;
}

interface Holder {
  connection: Connection | undefined;
}

export class PostgresListener {
  private readonly options: ListenerOptions;
  private readonly connections = new Set<Connection>();
  private readonly started = new Set<Connection>();
  private readonly keys: ConnectionKeys<Connection>;
  private readonly socket: Bun.TCPSocketListener<Holder>;
  private drained: PromiseWithResolvers<void> | undefined;
  private isDraining = false;

  /** Throws if the address is not available. */
  constructor(options: ListenerOptions) {
    this.options = options;
    this.keys = new ConnectionKeys(options.world.random);
    const { host: hostname, port } = options;
    this.socket = Bun.listen<Holder>({ hostname, port, socket: this.handlers() });
  }

  get port(): number {
    return this.socket.port;
  }

  /** Number of open connections. */
  get open(): number {
    return this.connections.size;
  }

  /** Number of connections whose statement runs. */
  get active(): number {
    let active = 0;
    for (const connection of this.connections) if (connection.isActive) active++;
    return active;
  }

  /** Refuses new connections, ends idle ones, and waits for open transactions. */
  drain(): Promise<void> {
    this.isDraining = true;
    this.socket.stop(false);
    this.drained ??= Promise.withResolvers<void>();
    for (const connection of [...this.connections]) connection.drain();
    if (this.connections.size === 0) this.drained.resolve();
    return this.drained.promise;
  }

  /** Ends all connections immediately. */
  abort(): void {
    this.socket.stop(true);
    for (const connection of [...this.connections]) connection.cut();
  }

  private handlers(): Bun.SocketHandler<Holder> {
    return {
      open: (socket) => {
        const connection = this.opened(socket);
        socket.data = { connection };
      },
      data: ({ data: { connection } }, bytes) => connection?.received(bytes),
      drain: ({ data: { connection } }) => connection?.drained(),
      close: ({ data }) => {
        const { connection } = data;
        data.connection = undefined;
        if (connection !== undefined) this.closed(connection);
      },
      error: ({ data: { connection } }) => connection?.cut(),
    };
  }

  private opened(socket: Bun.Socket<Holder>): Connection {
    const { options, keys } = this;
    const { environment, tokens, messageBytesMax, sendTimeoutMs, isReader, refusal } = options;
    socket.setNoDelay(true);
    const { remoteAddress: address } = socket;
    const wire = {
      remoteAddress: address,
      write: (bytes: Uint8Array) => socket.write(bytes),
      pause: () => socket.pause(),
      resume: () => socket.resume(),
      end: () => void socket.end(),
      terminate: () => socket.terminate(),
    };
    const connection: Connection = new Connection(wire, {
      environment,
      tokens,
      keys,
      messageBytesMax,
      sendTimeoutMs,
      isReader,
      isFull: () => this.connections.size > options.connectionsMax,
      refusal: () => (this.isDraining ? shutdown : refusal()),
      started: (one) => {
        this.started.add(one);
        options.onConnection({ kind: 'started', address });
      },
      failed: (_, sqlstate) => options.onConnection({ kind: 'failed', address, sqlstate }),
    });
    this.connections.add(connection);
    return connection;
  }

  private closed(connection: Connection): void {
    connection.closed();
    this.connections.delete(connection);
    if (this.started.delete(connection))
      this.options.onConnection({ kind: 'stopped', address: connection.address });
    if (this.isDraining && this.connections.size === 0) this.drained?.resolve();
  }
}

const shutdown = { sqlstate: '57P03', message: 'the database system is shutting down' };
