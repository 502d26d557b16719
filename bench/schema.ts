/** Online index builds over a full table: how fast an idle server makes one, and what 64 clients that write meanwhile feel of it. */

import { load, prepare } from './connection.ts';
import type { Measurement } from './measure.ts';
import { type ServerProcess, startSvc } from './server-process.ts';
import { createTable, send } from './setup.ts';
import { createItems, updateItem } from './workload.ts';

const clients = 64;
/** Rows a second that a build on an idle server is to make. */
const buildGoal = 100_000;
const windowMs = 2000;
const shortWindowMs = 500;

export async function benchSchema(isQuick: boolean): Promise<readonly Measurement[]> {
  const rows = isQuick ? 200_000 : 1_000_000;
  await using svc = await startSvc();
  await createTable(svc.port);
  for (let from = 0; from < rows; from += 2000) await send(svc.port, createItems(from, 2000));
  const traffic = new Traffic(svc.port, rows);
  return [
    await idleBuild(svc, rows, 'stock', false),
    await idleBuild(svc, rows, 'id', true),
    await writesDuring(svc, traffic, isQuick ? 3 : 5),
    await gates(svc, traffic),
  ];
}

/** Half inserts, half updates of rows anywhere. */
class Traffic {
  private readonly port: number;
  private readonly rows: number;
  private next: number;

  constructor(port: number, rows: number) {
    this.port = port;
    this.rows = rows;
    this.next = rows;
  }

  run(durationMs: number) {
    return load(this.port, clients, durationMs, () => this.request());
  }

  private request(): Uint8Array {
    const at = this.next++;
    const body =
      at % 2 === 0
        ? createItems(at, 1)
        : updateItem(Math.floor(Math.random() * this.rows), at % 1000);
    return prepare(this.port, 'POST', '/execute', body);
  }
}

async function idleBuild(
  svc: ServerProcess,
  rows: number,
  column: string,
  unique: boolean,
): Promise<Measurement> {
  const startedMs = performance.now();
  await ended(svc.port, await start(svc.port, column, unique));
  const rate = (rows * 1000) / (performance.now() - startedMs);
  await dropIndex(svc.port);
  const name = `${unique ? 'unique ' : ''}index build over ${rows} rows, idle server`;
  const [subject, reference] = [`${Math.round(rate)} rows/s`, `${buildGoal} rows/s`];
  return { name, ratio: rate / buildGoal, goal: unique ? 0.5 : 1, subject, reference };
}

/** The median over rounds of writes per second during a build, against those just before. */
async function writesDuring(
  svc: ServerProcess,
  traffic: Traffic,
  rounds: number,
): Promise<Measurement> {
  const pairs: { readonly before: number; readonly during: number }[] = [];
  await traffic.run(windowMs);
  for (let round = 0; round < rounds; round++) {
    const before = rateOf(await traffic.run(windowMs));
    const id = await start(svc.port, 'stock', false);
    const during = await rateUntil(
      traffic,
      async () => (await get(svc.port, id)).state === 'ready',
    );
    await dropIndex(svc.port);
    pairs.push({ before, during });
  }
  pairs.sort((a, b) => a.during / a.before - b.during / b.before);
  const { before, during } = pairs[Math.floor(rounds / 2)] as (typeof pairs)[number];
  return {
    name: `writes by ${clients} clients during an index build, against before`,
    ratio: during / before,
    goal: 0.5,
    subject: `${Math.round(during)}/s`,
    reference: `${Math.round(before)}/s`,
  };
}

/** A unique build shuts a gate: the share of writes that never see it, and the longest that any of them took. */
async function gates(svc: ServerProcess, traffic: Traffic): Promise<Measurement> {
  const id = await start(svc.port, 'id', true);
  let requests = 0;
  let failures = 0;
  let longestMs = 0;
  while ((await get(svc.port, id)).state !== 'ready') {
    const result = await traffic.run(windowMs);
    requests += result.requests;
    failures += result.failures;
    longestMs = Math.max(longestMs, result.latencies.at(-1) ?? 0);
  }
  await dropIndex(svc.port);
  return {
    name: 'writes that are not refused at the gate of a unique build',
    ratio: 1 - failures / requests,
    goal: 0.999,
    subject: `${failures} of ${requests} refused`,
    reference: `longest write ${Math.round(longestMs)} ms`,
  };
}

/** The rate of the windows that end before `isOver`; of the first one, whatever happens. */
async function rateUntil(traffic: Traffic, isOver: () => Promise<boolean>): Promise<number> {
  let [requests, took] = [0, 0];
  for (;;) {
    const result = await traffic.run(shortWindowMs);
    const isEnd = await isOver();
    if (took === 0 || !isEnd) {
      requests += rateOf(result) * result.seconds;
      took += result.seconds;
    }
    if (isEnd) return requests / took;
  }
}

function rateOf(result: Awaited<ReturnType<typeof load>>): number {
  if (result.failures > 0) throw new Error(`${result.failures} writes failed`);
  return result.requests / result.seconds;
}

interface Control {
  readonly transition_id: string;
  readonly state: string;
  readonly generation: number;
  readonly last_error?: string;
}

async function start(port: number, column: string, unique: boolean): Promise<string> {
  const index = { name: 'bench', columns: [column], unique };
  const statement = { kind: 'start_index_build', name: 's', table_id: 1, index };
  const { statements } = (await post(port, statement)) as { statements: { control: Control }[] };
  return statements[0]?.control.transition_id as string;
}

async function ended(port: number, id: string): Promise<void> {
  for (let generation = 0; ; ) {
    const control = await get(port, id, `?wait=30s&generation=${generation}`);
    if (control.state === 'ready') return;
    if (control.state === 'failed') throw new Error(control.last_error);
    ({ generation } = control);
  }
}

async function get(port: number, id: string, search = ''): Promise<Control> {
  const response = await fetch(`http://127.0.0.1:${port}/schema/transitions/${id}${search}`);
  return (await response.json()) as Control;
}

async function dropIndex(port: number): Promise<void> {
  await post(port, { kind: 'delete_index', name: 'd', table_id: 1, index: 'bench' });
}

async function post(port: number, statement: object): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ statements: [statement] }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return JSON.parse(text);
}
