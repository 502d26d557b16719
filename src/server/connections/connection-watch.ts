/**
 * Keeps the number of connections below its limit, so that the store has descriptors and probes get responses. Above 80
 * % of the limit, each response closes its connection. At the limit, requests are refused, and connections without a
 * request (silent, idle, or with half a header) are closed.
 */

import type { Timer, World } from '#base';
import type { ConnectionPressure, EdgeCounters } from '#http';
import type { Log } from '../log.ts';
import type { SocketTable } from './socket-table.ts';

const highShare = 0.8;
/** The share of the limit that remains after connections were closed. */
const roomyShare = 0.75;
const calmMs = 100;
const busyMs = 25;
/** Above this share, connections are counted more often. */
const busyShare = 0.1;
const recountMs = 1000;
const tellMs = 10_000;

interface ConnectionWatchParts {
  readonly table: SocketTable;
  readonly world: World;
  readonly log: Log;
  readonly counters: EdgeCounters;
  readonly connectionsMax: number;
  /** The port of the listener. */
  readonly port: number;
  /** Returns the ports of clients with a request in progress. */
  readonly busyPorts: () => ReadonlySet<number>;
}

export class ConnectionWatch {
  private readonly parts: ConnectionWatchParts;
  /** Number of descriptors that are not connections, at the last full count. */
  private others = 0;
  private recountedMs = Number.NEGATIVE_INFINITY;
  private toldMs = Number.NEGATIVE_INFINITY;
  private timer: Timer | undefined;
  pressure: ConnectionPressure = 'normal';

  constructor(parts: ConnectionWatchParts) {
    this.parts = parts;
  }

  start(): void {
    this.look();
  }

  stop(): void {
    this.timer?.cancel();
  }

  private look(): void {
    const { counters, connectionsMax, world } = this.parts;
    const open = this.count();
    counters.connections = open;
    this.pressure = pressureOf(open / connectionsMax);
    if (this.pressure === 'full') this.makeRoom();
    const delayMs = open > connectionsMax * busyShare ? busyMs : calmMs;
    this.timer = world.scheduler.after(delayMs, () => this.look());
  }

  private count(): number {
    const { table, world } = this.parts;
    const descriptors = table.descriptors();
    const nowMs = world.clock.monotonicMs();
    if (nowMs - this.recountedMs >= recountMs) {
      this.recountedMs = nowMs;
      const connections = this.connections().length;
      if (!Number.isFinite(descriptors)) return connections;
      this.others = descriptors - connections;
    }
    return Math.max(0, descriptors - this.others);
  }

  private connections(): readonly (readonly [descriptor: number, clientPort: number])[] {
    const found: [number, number][] = [];
    this.parts.table.each(this.parts.port, (descriptor, port) => found.push([descriptor, port]));
    return found;
  }

  private makeRoom(): void {
    const { table, connectionsMax, busyPorts, counters } = this.parts;
    const all = this.connections();
    const busy = busyPorts();
    const spare = all.filter(([, port]) => !busy.has(port));
    const surplus = Math.ceil(all.length - connectionsMax * roomyShare);
    const ended = spare.slice(0, Math.max(0, surplus));
    for (const [descriptor] of ended) table.end(descriptor);
    counters.connectionsEnded += ended.length;
    this.tell(all.length, ended.length);
  }

  private tell(connections: number, closed: number): void {
    const { log, world, connectionsMax } = this.parts;
    const nowMs = world.clock.monotonicMs();
    if (nowMs - this.toldMs < tellMs) return;
    this.toldMs = nowMs;
    log.write('warn', 'listener.full', { connections, closed, max_connections: connectionsMax });
  }
}

function pressureOf(share: number): ConnectionPressure {
  if (share >= 1) return 'full';
  return share > highShare ? 'high' : 'normal';
}
