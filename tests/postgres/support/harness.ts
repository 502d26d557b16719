/** Connections over an engine in memory, without sockets. */

import { systemWorld, type World } from '#base';
import type { Engine } from '#engine';
import { Connection, type ConnectionParts } from '../../../src/postgres/listener/connection.ts';
import { ConnectionKeys } from '../../../src/postgres/listener/connections.ts';
import type { SqlLanguage } from '../../../src/postgres/run/language.ts';
import { openStatements } from '../../../src/postgres/run/statements.ts';
import { Views } from '../../../src/postgres/run/views.ts';
import { openSetting } from '../../engine/session/support.ts';
import { manualWorld } from '../../support/manual-world.ts';
import { fakeLanguage } from './fake-language.ts';
import { joined, startup } from './messages.ts';
import { type Reply, repliesIn } from './replies.ts';

const { scheduler } = systemWorld();

export interface Harness {
  readonly engine: Engine;
  readonly world: ReturnType<typeof manualWorld>;
  readonly defects: unknown[];
  readonly failures: string[];
  /** Opens a connection. `isReady`: after the startup, whose replies are dropped. */
  connect(options?: ConnectOptions): Promise<TestClient>;
  close(): Promise<void>;
}

interface ConnectOptions extends Partial<ConnectionParts> {
  readonly isReady?: boolean;
  /** Bytes that the wire takes before `take` is called again; the default is no limit. */
  readonly taken?: number;
}

export async function openHarness(
  language: SqlLanguage = fakeLanguage,
  world: ReturnType<typeof manualWorld> = manualWorld(),
): Promise<Harness> {
  const { engine } = await openSetting({}, world as World);
  const defects: unknown[] = [];
  const failures: string[] = [];
  const keys = new ConnectionKeys<Connection>(world.random);
  const environment = {
    engine: () => engine,
    language,
    statements: openStatements(language),
    views: new Views(),
    world,
    defect: (error: unknown) => `incident-${defects.push(error)}`,
  };
  return {
    engine,
    world,
    defects,
    failures,
    connect: async ({ isReady = true, taken = Infinity, ...parts } = {}) => {
      const client = new TestClient(
        {
          environment,
          tokens: undefined,
          keys,
          messageBytesMax: 1 << 20,
          sendTimeoutMs: 60_000,
          isReader: false,
          isFull: () => false,
          refusal: () => undefined,
          started: () => {},
          failed: (_, sqlstate) => void failures.push(sqlstate),
          ...parts,
        },
        taken,
      );
      if (!isReady) return client;
      await client.send(startup({ user: 'ada', database: 'shop' }));
      client.take();
      return client;
    },
    close: () => engine.close(),
  };
}

export class TestClient {
  readonly connection: Connection;
  isEnded = false;
  /** Whether the server has cut the connection, which resets it. */
  isCut = false;
  isPaused = false;
  /** Bytes that the wire still takes. */
  room: number;
  private bytes: Uint8Array[] = [];

  constructor(parts: ConnectionParts, room: number) {
    this.room = room;
    this.connection = new Connection(
      {
        remoteAddress: '127.0.0.1',
        write: (bytes) => {
          const taken = Math.min(bytes.length, this.room);
          this.room -= taken;
          this.bytes.push(bytes.slice(0, taken));
          return taken;
        },
        pause: () => (this.isPaused = true),
        resume: () => (this.isPaused = false),
        end: () => (this.isEnded = true),
        terminate: () => {
          this.isEnded = true;
          this.isCut = true;
        },
      },
      parts,
    );
  }

  /** Sends bytes, and waits until their messages were taken. */
  async send(...parts: readonly Uint8Array[]): Promise<void> {
    this.post(...parts);
    await this.settled();
  }

  /** Sends bytes without waiting. */
  post(...parts: readonly Uint8Array[]): void {
    this.connection.received(joined(parts));
  }

  /** Waits until no message is being taken. */
  async settled(): Promise<void> {
    while (this.connection.isActive) await scheduler.yield();
  }

  /** Sends bytes, and returns the replies. */
  async ask(...parts: readonly Uint8Array[]): Promise<readonly Reply[]> {
    await this.send(...parts);
    return this.take();
  }

  /** Returns the replies since the last call. */
  take(): readonly Reply[] {
    const found = repliesIn(joined(this.bytes));
    this.bytes = [];
    return found;
  }

  /** Returns the raw bytes since the last call. */
  takeBytes(): Uint8Array {
    const found = joined(this.bytes);
    this.bytes = [];
    return found;
  }
}
