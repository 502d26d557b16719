/** SIGKILL at random moments under load: every acknowledged program is there after the restart, and no half of one. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '../support/seeded-random.ts';
import { type ServerProcess, startServerProcess } from '../support/server-process.ts';
import { idsFrom, tortureTables, transferProgram } from './workload.ts';

export interface TortureReport {
  readonly rounds: number;
  readonly acknowledged: number;
  /** In flight at a kill: some of them may be there, whole. */
  readonly unknown: number;
  readonly unknownFound: number;
}

export interface TortureOptions {
  readonly rounds: number;
  readonly seed: number;
  readonly clients: number;
  /** Longest time of load before a kill. */
  readonly loadMsMax: number;
  readonly binary?: string;
  /** Told the state after each round. */
  readonly progress?: (report: TortureReport) => void;
}

interface Round {
  readonly acknowledged: Set<number>;
  readonly sent: Set<number>;
}

/** Throws at the first lost or torn program. */
export async function torture(options: TortureOptions): Promise<TortureReport> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-torture-'));
  const random = seededRandom(options.seed);
  const report = { rounds: 0, acknowledged: 0, unknown: 0, unknownFound: 0 };
  const { progress } = options;
  let nextId = 1;
  const takeId = () => nextId++;
  const start = () =>
    startServerProcess(
      ['--storage-path', directory],
      options.binary === undefined ? {} : { binary: options.binary },
    );
  let server = await start();
  try {
    for (const table of tortureTables) await expectOk(server, '/tables', table);
    while (report.rounds < options.rounds) {
      const least = nextId;
      const round = await loadUntilKilled(server, options, random() * options.loadMsMax, takeId);
      server = await start();
      const found = await checkRound(server, round, least);
      report.acknowledged += round.acknowledged.size;
      report.unknown += round.sent.size - round.acknowledged.size;
      report.unknownFound += found - round.acknowledged.size;
      report.rounds++;
      progress?.(report);
    }
    return report;
  } finally {
    server.kill('SIGKILL');
    await server.exited;
    rmSync(directory, { recursive: true, force: true });
  }
}

async function loadUntilKilled(
  server: ServerProcess,
  options: TortureOptions,
  loadMs: number,
  takeId: () => number,
): Promise<Round> {
  const round: Round = { acknowledged: new Set(), sent: new Set() };
  let isAlive = true;
  const client = async () => {
    while (isAlive) {
      const id = takeId();
      round.sent.add(id);
      const reply = await post(server, '/execute', transferProgram(id)).catch(() => undefined);
      if (reply === undefined) return;
      if (reply.status !== 200) throw new Error(`program ${id} was refused: ${reply.text}`);
      round.acknowledged.add(id);
    }
  };
  const clients = Array.from({ length: options.clients }, client);
  await new Promise((resolve) => setTimeout(resolve, loadMs));
  server.kill('SIGKILL');
  isAlive = false;
  await Promise.all(clients);
  await server.exited;
  return round;
}

/** How many programs of the round are there. */
async function checkRound(server: ServerProcess, round: Round, least: number): Promise<number> {
  const debits = await idsOf(server, 'debit', 'id', least);
  const credits = await idsOf(server, 'credit', 'debit_id', least);
  for (const id of round.acknowledged) {
    if (!debits.has(id)) throw new Error(`program ${id} was acknowledged and is lost`);
  }
  for (const id of debits) {
    if (!credits.has(id)) throw new Error(`program ${id} is there by half: no credit`);
    if (!round.sent.has(id)) throw new Error(`row ${id} was never sent`);
  }
  if (credits.size !== debits.size) throw new Error('there is a credit without its debit');
  return debits.size;
}

async function idsOf(
  server: ServerProcess,
  table: string,
  column: string,
  least: number,
): Promise<Set<number>> {
  const reply = await expectOk(server, '/execute', idsFrom(table, column, least));
  const { result } = JSON.parse(reply) as { result: { id: number }[] };
  return new Set(result.map((row) => row.id));
}

async function expectOk(server: ServerProcess, path: string, body: unknown): Promise<string> {
  const reply = await post(server, path, body);
  if (reply.status !== 200) throw new Error(`${path} answered ${reply.status}: ${reply.text}`);
  return reply.text;
}

async function post(server: ServerProcess, path: string, body: unknown) {
  const response = await fetch(server.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, text: await response.text() };
}
