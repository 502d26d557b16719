/**
 * `bun run bench/index-builds.ts [--rows N] [--executable PATH]`: indexes over a million orders, blocking and online, with SQLite in the same run;
 * what an online build costs the processor, and what reads by key at 16 connections feel of it. With `TMPDIR=/dev/shm` the disk has no say.
 */

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load, prepare } from './connection.ts';
import { type ServerProcess, startBuilt, startSvc } from './server-process.ts';
import { sqlite, svc } from './workloads/engines.ts';
import { shop } from './workloads/shop.ts';
import type { ShopTable } from './workloads/tables.ts';

const connections = 16;
const windowMs = 2_000;
/** Clock ticks of Linux, of which the times of a thread are multiples. */
const tickMs = 10;

const option = (name: string): string | undefined => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? undefined : process.argv[at + 1];
};
const rows = Number(option('rows') ?? 1_000_000);
const executable = option('executable');
const orders = shop(rows).tables.find(({ name }) => name === 'orders') as ShopTable;
const indexes = [['product_id', 'created_at'], ['created_at']];

const directory = mkdtempSync(join(tmpdir(), 'svc-index-builds-'));
await using server = await (executable === undefined ? startSvc() : startBuilt(executable));
const own = svc(server.port);
const reference = sqlite(join(directory, 'orders'));
await reference.load(orders);
await own.load(orders);
for (const columns of indexes) {
  const referenceMs = await timed(() => reference.addIndex(orders, columns));
  const name = `by_${columns.join('_')}`;
  console.log(`${name}: sqlite ${seconds(referenceMs)}`);
  const tell = (what: string, { ms, mainMs, allMs }: Cost) =>
    console.log(
      `${name}: ${what} ${seconds(ms)}, ${Math.round(rows / ms)} k rows/s, ${(referenceMs / ms).toFixed(2)} of its rate; ` +
        `main thread ${((mainMs * 1_000) / rows).toFixed(2)}, all threads ${((allMs * 1_000) / rows).toFixed(2)} µs a row`,
    );
  const blocking = { kind: 'create_index', table_id: 1, index: { name, columns } };
  tell('blocking', await cost(() => post(blocking)));
  await drop(name);
  for (const unique of [false, true]) {
    const keyed = { name, columns: unique ? [...columns, 'id'] : columns, unique };
    tell(unique ? 'online unique' : 'online', await cost(() => online(keyed)));
    await drop(name);
  }
}
const idle = await reads(() => true);
const build = online({ name: 'i', columns: indexes[0] as string[], unique: false });
let isOver = false;
void build.then(() => {
  isOver = true;
});
const startedMs = performance.now();
const during = await reads(() => isOver);
await build;
console.log(`reads at ${connections} connections, nothing else: ${idle}`);
console.log(
  `reads at ${connections} connections during an online build of ${seconds(performance.now() - startedMs)}: ${during}`,
);
await reference[Symbol.asyncDispose]();
rmSync(directory, { recursive: true, force: true });

interface Cost {
  readonly ms: number;
  readonly mainMs: number;
  readonly allMs: number;
}

async function cost(work: () => Promise<unknown>): Promise<Cost> {
  await settled();
  const before = threadTimes(server);
  const ms = await timed(work);
  await settled();
  const after = threadTimes(server);
  return { ms, mainMs: after.mainMs - before.mainMs, allMs: after.allMs - before.allMs };
}

/** Until the server has flushed and merged what it had to. */
async function settled(): Promise<void> {
  for (let still = 0, last = -1; still < 5; ) {
    await Bun.sleep(200);
    const { allMs } = threadTimes(server);
    still = allMs - last <= tickMs ? still + 1 : 0;
    last = allMs;
  }
}

/** Milliseconds of the processor so far. */
function threadTimes({ pid }: ServerProcess): { readonly mainMs: number; readonly allMs: number } {
  const timeOf = (path: string): number => {
    const fields = readFileSync(path, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * tickMs;
  };
  const tasks = readdirSync(`/proc/${pid}/task`);
  const mainMs = timeOf(`/proc/${pid}/task/${pid}/stat`);
  return { mainMs: tasks.length === 0 ? 0 : mainMs, allMs: timeOf(`/proc/${pid}/stat`) };
}

/** The latencies of windows until `isOver` says so at the end of one. */
async function reads(isOver: () => boolean): Promise<string> {
  const all: number[] = [];
  let requests = 0;
  let took = 0;
  do {
    const result = await load(server.port, connections, windowMs, () => {
      const value = String(Math.floor(Math.random() * rows));
      return prepare(server.port, 'POST', '/execute', readOf(value));
    });
    if (result.failures > 0) throw new Error(`${result.failures} reads failed`);
    all.push(...result.latencies);
    requests += result.requests;
    took += result.seconds;
  } while (!isOver());
  all.sort((a, b) => a - b);
  const at = (share: number): string => (all[Math.floor(share * (all.length - 1))] ?? 0).toFixed(2);
  return `${(requests / took / 1_000).toFixed(1)} k/s, p50 ${at(0.5)}, p99 ${at(0.99)}, p99.9 ${at(0.999)}, longest ${at(1)} ms`;
}

function readOf(value: string): string {
  const left = { kind: 'col', scope: 'o', column: 'id' };
  const right = { kind: 'lit', value: { type: 'int64', value } };
  const nodes = {
    s: { kind: 'scan', table: 'orders', scope: 'o' },
    f: { kind: 'filter', input: 's', predicate: { kind: 'binary', op: 'eq', left, right } },
  };
  const relation = { nodes, root: { node: 'f', cardinality: 'first' } };
  return JSON.stringify({ statements: [{ kind: 'query', name: 'q', relation }] });
}

async function online(index: object): Promise<void> {
  const { statements } = (await post({ kind: 'start_index_build', table_id: 1, index })) as {
    statements: { control: { transition_id: string; generation: number } }[];
  };
  const { transition_id, generation } = (statements[0] as (typeof statements)[0]).control;
  for (let known = generation; ; ) {
    const path = `/schema/transitions/${transition_id}?wait=30s&generation=${known}`;
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
    const control = (await response.json()) as { state: string; generation: number };
    if (control.state === 'ready') return;
    if (control.state === 'failed') throw new Error(JSON.stringify(control));
    known = control.generation;
  }
}

function drop(index: string): Promise<unknown> {
  return post({ kind: 'delete_index', table_id: 1, index });
}

async function post(statement: object): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${server.port}/execute`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ statements: [{ name: 's', ...statement }] }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return JSON.parse(text);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const fromMs = performance.now();
  await work();
  return performance.now() - fromMs;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`;
}
