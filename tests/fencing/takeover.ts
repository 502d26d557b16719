/** A second writer takes a store over while the first one sleeps under load: who acknowledged what, and what is there in the end. */

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { idsFrom, tortureTables, transferProgram } from '../torture/workload.ts';

export interface TakeoverOptions {
  /** Flags that say where the store is. */
  readonly place: readonly string[];
  readonly env?: Record<string, string>;
  /** Of a directory: the lock is taken away, as a file system without locks would have none. */
  readonly lockDirectory?: string;
  readonly clients: number;
  /** How many programs are acknowledged before the first one is put to sleep, while the second one has the store alone, and after the end of the first. */
  readonly programs: number;
}

export interface Takeover {
  readonly acknowledgedByFirst: number;
  readonly acknowledgedBySecond: number;
  /** By the first one after it had been overtaken. */
  readonly acknowledgedLate: number;
  /** Answers of the first one after it woke up: status and reason. */
  readonly afterwards: ReadonlySet<string>;
  /** What `/readyz` of the first one said until it was gone. */
  readonly readiness: ReadonlySet<string>;
  readonly firstExit: number;
  readonly firstLog: string;
}

interface Reply {
  readonly status: number;
  readonly json: { readonly reason?: string; readonly detail?: string; readonly result?: unknown };
}

/** Throws when something acknowledged is lost, or was acknowledged twice. */
export async function takeOver(options: TakeoverOptions): Promise<Takeover> {
  const servers: ServerProcess[] = [];
  const start = async () => {
    const env = options.env === undefined ? {} : { env: options.env };
    const server = await startServerProcess(options.place, env);
    servers.push(server);
    return server;
  };
  try {
    return await run(options, start);
  } finally {
    for (const server of servers) server.kill('SIGKILL');
    await Promise.all(servers.map(({ exited }) => exited));
  }
}

async function run(
  options: TakeoverOptions,
  start: () => Promise<ServerProcess>,
): Promise<Takeover> {
  const first = await start();
  for (const table of tortureTables) await expectOk(first, '/tables', table);
  const book = new Book();
  const load = Array.from({ length: options.clients }, () => book.drive(first, 'first'));
  await book.untilAcknowledged('first', options.programs);
  process.kill(first.pid, 'SIGSTOP');
  if (options.lockDirectory !== undefined) rmSync(join(options.lockDirectory, 'lock'));
  const second = await start();
  book.isOvertaken = true;
  const more = Array.from({ length: options.clients }, () => book.drive(second, 'second'));
  // What the first one may have had in flight is sent again, as a client would: at most one of them is right.
  const again = [...book.open].map((id) => book.send(second, 'second', id));
  await book.untilAcknowledged('second', options.programs);
  const readiness = watch(first);
  process.kill(first.pid, 'SIGCONT');
  const firstExit = await first.exited;
  await Promise.all(load);
  await book.untilAcknowledged('second', options.programs);
  book.isOver = true;
  await Promise.all([...more, ...again]);
  await book.check(second);
  return {
    acknowledgedByFirst: book.acknowledged.first.size,
    acknowledgedBySecond: book.acknowledged.second.size,
    acknowledgedLate: book.late,
    afterwards: book.afterwards,
    readiness: await readiness,
    firstExit,
    firstLog: await first.stderr(),
  };
}

/** What was sent and what was answered. */
class Book {
  readonly acknowledged = { first: new Set<number>(), second: new Set<number>() };
  readonly afterwards = new Set<string>();
  /** Writers of whom a request got no reply. */
  private readonly silent = new Set<'first' | 'second'>();
  /** Sent and not answered yet. */
  readonly open = new Set<number>();
  readonly sent = new Set<number>();
  /** Answers of the first one from now on come after it was overtaken. */
  isOvertaken = false;
  late = 0;
  isOver = false;
  private nextId = 1;
  /** Called after each acknowledgement, and after each request without a reply. */
  private readonly watchers = new Set<() => void>();

  /** Resolves after `count` further acknowledgements. Rejects when a request of that server gets no reply before. */
  untilAcknowledged(who: 'first' | 'second', count: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const least = this.acknowledged[who].size + count;
    const watcher = () => {
      if (this.acknowledged[who].size >= least) resolve();
      else if (this.silent.has(who)) reject(new Error(`the ${who} writer does not answer`));
    };
    this.watchers.add(watcher);
    watcher();
    return promise.finally(() => this.watchers.delete(watcher));
  }

  /** One client that sends one program after the other until its server is gone. */
  async drive(server: ServerProcess, who: 'first' | 'second'): Promise<void> {
    while (!this.isOver) {
      if (!(await this.send(server, who, this.nextId++))) return;
    }
  }

  /** False when there was no answer. */
  async send(server: ServerProcess, who: 'first' | 'second', id: number): Promise<boolean> {
    this.sent.add(id);
    this.open.add(id);
    const reply = await post(server, '/execute', transferProgram(id)).catch(() => undefined);
    if (reply === undefined) {
      this.silent.add(who);
      this.tell();
      return false;
    }
    this.open.delete(id);
    if (reply.status === 200) {
      if (who === 'first' && this.isOvertaken) this.late++;
      this.acknowledged[who].add(id);
      this.tell();
    } else if (who === 'first') {
      this.afterwards.add(`${reply.status} ${reply.json.reason}`);
    } else if (reply.json.reason !== 'constraint_violation') {
      // Whatever the first one had got into the log is there already.
      throw new Error(`program ${id} was refused: ${JSON.stringify(reply.json)}`);
    }
    return true;
  }

  private tell(): void {
    for (const watcher of this.watchers) watcher();
  }

  async check(server: ServerProcess): Promise<void> {
    const { first, second } = this.acknowledged;
    for (const id of second) {
      if (first.has(id)) throw new Error(`program ${id} was acknowledged twice`);
    }
    const debits = await idsOf(server, 'debit', 'id');
    const credits = await idsOf(server, 'credit', 'debit_id');
    for (const id of [...first, ...second]) {
      if (!debits.has(id)) throw new Error(`program ${id} was acknowledged and is lost`);
    }
    for (const id of debits) {
      if (!credits.has(id)) throw new Error(`program ${id} is there by half`);
      if (!this.sent.has(id)) throw new Error(`row ${id} was never sent`);
    }
    if (credits.size !== debits.size) throw new Error('there is a credit without its debit');
  }
}

/** The reasons of `/readyz` until nobody answers any more. */
async function watch(server: ServerProcess): Promise<ReadonlySet<string>> {
  const reasons = new Set<string>();
  for (;;) {
    const response = await fetch(`${server.url}/readyz`).catch(() => undefined);
    if (response === undefined) return reasons;
    reasons.add(((await response.json()) as { reason: string }).reason);
    await Bun.sleep(5);
  }
}

async function idsOf(server: ServerProcess, table: string, column: string): Promise<Set<number>> {
  const { json } = await post(server, '/execute', idsFrom(table, column, 0));
  return new Set((json.result as { id: number }[]).map(({ id }) => id));
}

async function expectOk(server: ServerProcess, path: string, body: unknown): Promise<void> {
  const { status, json } = await post(server, path, body);
  if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(json)}`);
}

async function post(server: ServerProcess, path: string, body: unknown): Promise<Reply> {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, json: (await response.json()) as Reply['json'] };
}
