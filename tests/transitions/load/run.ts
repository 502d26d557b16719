/**
 * Migrations under load: a server process, a table full of rows, transitions one after the other, and clients whose every answer is
 * compared with what it has to be. Throws what was wrong.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '../../support/seeded-random.ts';
import { type ServerProcess, startServerProcess } from '../../support/server-process.ts';
import { Client } from './client.ts';
import { Conductor, witnesses } from './conductor.ts';
import { auditDirectory, checkRows } from './finale.ts';
import { newLaw } from './law.ts';
import { Partition } from './partition.ts';
import { type Item, itemColumns, itemTable, write } from './programs.ts';
import { Seats } from './seats.ts';
import { Server, WrongAnswer } from './server.ts';
import { Team } from './team.ts';

export interface LoadOptions {
  readonly rows: number;
  readonly clients: number;
  readonly seed: number;
  /** Operations of all clients before and after each transition. */
  readonly window: number;
  readonly print: (line: string) => void;
  /** The tree whose server runs; this one by default. */
  readonly root?: string;
}

export interface LoadReport {
  readonly answers: number;
  readonly refusals: ReadonlyMap<string, number>;
  readonly rows: number;
}

export async function migrateUnderLoad(options: LoadOptions): Promise<LoadReport> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-migrations-'));
  try {
    const { root } = options;
    const flags = ['--storage-path', directory];
    const process = await startServerProcess(flags, root === undefined ? {} : { root });
    const report = await whileServing(process, options);
    const findings = await auditDirectory(directory);
    if (findings.length > 0) throw new WrongAnswer(findings.join('\n'));
    options.print('the store holds what its catalog says');
    return report;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function whileServing(process: ServerProcess, options: LoadOptions): Promise<LoadReport> {
  let isDone = false;
  try {
    const done = await work(process.url, options);
    isDone = true;
    return done;
  } finally {
    process.kill(isDone ? 'SIGTERM' : 'SIGKILL');
    await process.exited;
  }
}

async function work(url: string, { rows, clients: count, seed, window, print }: LoadOptions) {
  const law = newLaw();
  const server = new Server(url, law);
  const seats = new Seats(Math.max(2, count >> 1));
  const rowsEach = Math.ceil(rows / count);
  const clients = Array.from({ length: count }, (_, i) => {
    const own = new Partition(i + 1, rowsEach, seededRandom(seed * 1000 + i));
    return new Client(i + 1, own, { server, law, seats });
  });
  const startedMs = performance.now();
  await server.ok('POST', '/tables', itemTable);
  await create(server, witnesses);
  for (const { own } of clients) await create(server, seedRows(own, rowsEach));
  print(`${rowsEach * count} rows loaded in ${since(startedMs)}; ${count} clients, seed ${seed}`);
  const team = new Team(clients);
  team.start();
  await team.rate(window);
  const conductor = new Conductor({ server, law, team, window, print });
  const conducted = conductor.run();
  await conducted.finally(() => team.stop());
  const wrong = seats.check();
  if (wrong.length > 0) throw new WrongAnswer(wrong.join('\n'));
  const { answers, refusals, longestMs } = server;
  print(
    `${answers} answers right, ${seats.answers} of them about seats; longest ${Math.round(longestMs)} ms`,
  );
  const shown = [...refusals].map(([reason, times]) => `${times} ${reason}`);
  print(`refused: ${shown.join(', ') || 'none'}`);
  const found = await checkRows(server, law, clients);
  print(`all rows read again, by id and by the new index: ${found} right`);
  return { answers, refusals, rows: found };
}

function seedRows(own: Partition, count: number): readonly Item[] {
  return Array.from({ length: count }, () => {
    const id = own.freshId();
    const note = own.unit() < 0.1 ? null : own.below(1000);
    const [stock, code, tag] = [own.stock(), own.code(), own.freshTag()];
    const item = { id, stock, code, tag, note, seat: null };
    own.put(item);
    return item;
  });
}

async function create(server: Server, items: readonly Item[]): Promise<void> {
  for (let from = 0; from < items.length; from += 2000) {
    const some = items.slice(from, from + 2000);
    const columns = itemColumns.filter((name) => name !== 'seat');
    await server.ensure({ statements: [write('create', columns, some, 'text')] });
  }
}

function since(ms: number): string {
  return `${((performance.now() - ms) / 1000).toFixed(1)} s`;
}
