/** Concurrent clients of a real server over HTTP, which is killed with SIGKILL while they work. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '../support/seeded-random.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import type { Outcome } from './history.ts';

/** One program to send, and what to do with its end. */
export interface Attempt {
  readonly program: unknown;
  /** `result` and `affected` (by statement) of an answer 200. */
  settle(end: Ended): void;
}

export interface Ended {
  readonly outcome: Outcome;
  readonly result?: unknown;
  readonly affected?: readonly number[];
  readonly invoked: number;
  readonly completed: number;
}

export interface Workload {
  readonly tables: readonly unknown[];
  readonly setup: readonly unknown[];
  next(random: () => number): Attempt;
  /** After all others have ended: reads everything. */
  last(): Attempt;
}

export interface DriveOptions {
  readonly seed: number;
  readonly transactions: number;
  readonly clients: number;
  /** Spread evenly over the transactions. */
  readonly kills: number;
  /** The tree whose server runs; this one by default. */
  readonly root?: string;
}

export interface DriveReport {
  readonly ok: number;
  readonly failed: number;
  readonly unknown: number;
  readonly kills: number;
}

export async function drive(workload: Workload, options: DriveOptions): Promise<DriveReport> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-serializability-'));
  try {
    return await new Drive(workload, options, directory).run();
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

class Drive {
  private readonly workload: Workload;
  private readonly options: DriveOptions;
  private readonly directory: string;
  private readonly counts = { ok: 0, failed: 0, unknown: 0, kills: 0 };
  private readonly random: () => number;
  private begun = 0;
  private clock = 0;
  private server: Promise<ServerProcess>;

  constructor(workload: Workload, options: DriveOptions, directory: string) {
    this.workload = workload;
    this.options = options;
    this.directory = directory;
    this.random = seededRandom(options.seed);
    this.server = this.start();
  }

  async run(): Promise<DriveReport> {
    const { workload, options, counts } = this;
    try {
      for (const table of workload.tables) await this.expectOk('/tables', table);
      for (const program of workload.setup) await this.expectOk('/execute', program);
      await Promise.all(Array.from({ length: options.clients }, () => this.client()));
      await this.attempt(workload.last());
      return counts;
    } finally {
      const server = await this.server;
      server.kill('SIGKILL');
      await server.exited;
    }
  }

  private start(): Promise<ServerProcess> {
    const { root } = this.options;
    return startServerProcess(
      ['--storage-path', this.directory],
      root === undefined ? {} : { root },
    );
  }

  private async client(): Promise<void> {
    const { transactions, kills } = this.options;
    while (this.begun < transactions) {
      this.begun++;
      if (this.begun >= ((this.counts.kills + 1) * transactions) / (kills + 1)) this.kill();
      await this.attempt(this.workload.next(this.random));
    }
  }

  /** Clients go on at the next server; what was under way is unknown. */
  private kill(): void {
    if (this.counts.kills === this.options.kills) return;
    this.counts.kills++;
    this.server = this.server.then(async (server) => {
      server.kill('SIGKILL');
      await server.exited;
      return this.start();
    });
  }

  private async attempt({ program, settle }: Attempt): Promise<void> {
    const server = await this.server;
    const invoked = this.clock++;
    const end = (outcome: Outcome, more: Partial<Ended> = {}) => {
      this.counts[outcome]++;
      const completed = outcome === 'unknown' ? Number.POSITIVE_INFINITY : this.clock++;
      settle({ outcome, invoked, completed, ...more });
    };
    const reply = await post(server, '/execute', program).catch(() => undefined);
    if (reply === undefined) return end('unknown');
    if (reply.status === 409) return end('failed');
    if (reply.status !== 200) throw new Error(`answered ${reply.status}: ${reply.text}`);
    const { result, statements } = JSON.parse(reply.text) as {
      result: unknown;
      statements: { affected: number }[];
    };
    end('ok', { result, affected: statements.map(({ affected }) => affected) });
  }

  private async expectOk(path: string, body: unknown): Promise<void> {
    const reply = await post(await this.server, path, body);
    if (reply.status !== 200) throw new Error(`${path} answered ${reply.status}: ${reply.text}`);
  }
}

async function post(server: ServerProcess, path: string, body: unknown) {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}
