/**
 * `bun run bench/clients.ts [--round-ms N] [--rounds N] [--binary PATH]`: what the TypeScript client costs beside hand-written `fetch` and JSON, on Node and
 * Bun: requests a second on 8 connections and processor time of the client, as ratios of rounds that alternate. A ratio above 1 is in the client's favour for requests,
 * against it for processor time.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startServerProcess } from '../tests/support/server-process.ts';

const { values } = parseArgs({
  options: {
    'round-ms': { type: 'string', default: '1000' },
    rounds: { type: 'string', default: '7' },
    binary: { type: 'string' },
  },
});

interface Round {
  readonly perSecond: number;
  readonly cpuMicros: number;
}

type Measured = Readonly<Record<string, { readonly client: Round[]; readonly byHand: Round[] }>>;

const folder = mkdtempSync(join(tmpdir(), 'svc-bench-clients-'));
const server = await startServerProcess(
  ['--storage', 'memory'],
  values.binary === undefined ? {} : { binary: values.binary },
);
try {
  await fill(server.url);
  const { outputs, success } = await Bun.build({
    entrypoints: [join(import.meta.dir, 'clients/load.ts')],
    outdir: folder,
    target: 'node',
    naming: 'load.mjs',
  });
  if (!success || outputs.length === 0) throw new Error('the load cannot be bundled');
  const runtimes = { node: Bun.which('node'), bun: process.execPath };
  console.log('runtime  question  requests, client/by hand        processor time, client/by hand');
  for (const [name, program] of Object.entries(runtimes)) {
    if (program === null) console.log(`${name}: not in PATH`);
    else report(name, await measured(program));
  }
} finally {
  server.kill('SIGKILL');
  rmSync(folder, { recursive: true });
}

async function fill(url: string): Promise<void> {
  const columns = [
    { name: 'id', type: 'int64' },
    { name: 'name', type: 'text' },
    { name: 'price', type: 'float64' },
    { name: 'note', type: 'text', nullable: true },
  ];
  await post(`${url}/tables`, {
    name: 'items',
    columns,
    primary_key: ['id'],
  });
  const rows = Array.from({ length: 1000 }, (_, i) => [
    `${i}`,
    `item number ${i}`,
    `${i / 4}`,
    i % 3 === 0 ? null : `a note on ${i}`,
  ]);
  const relation = {
    root: { node: 'r', cardinality: 'many' },
    nodes: { r: { kind: 'rows', scope: 'r', columns, rows } },
  };
  const statement = { kind: 'create', name: 'c', table: 'items', relation };
  await post(`${url}/execute`, { statements: [statement] });
}

async function post(url: string, body: object): Promise<void> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(await response.text());
}

async function measured(program: string): Promise<Measured> {
  const parts = [join(folder, 'load.mjs'), server.url, values['round-ms'], values.rounds];
  const child = Bun.spawn([program, ...parts], { stdout: 'pipe', stderr: 'inherit' });
  const text = await new Response(child.stdout).text();
  if ((await child.exited) !== 0) throw new Error(`${program} ended with ${child.exitCode}`);
  return JSON.parse(text);
}

function report(name: string, found: Measured): void {
  for (const [question, { client, byHand }] of Object.entries(found)) {
    const requests = client.map((round, i) => round.perSecond / (byHand[i]?.perSecond ?? 0));
    const processor = client.map((round, i) => round.cpuMicros / (byHand[i]?.cpuMicros ?? 0));
    const perSecond = median(byHand.map((round) => round.perSecond)).toFixed(0);
    const micros = median(byHand.map((round) => round.cpuMicros)).toFixed(0);
    console.log(
      `${name.padEnd(9)}${question.padEnd(10)}${spread(requests)} of ${perSecond}/s    ${spread(processor)} of ${micros} µs`,
    );
  }
}

/** The median, and the least and the greatest. */
function spread(ratios: readonly number[]): string {
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map((n) => n.toFixed(2));
  return `${median(ratios).toFixed(2)} (${least}–${most})`;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}
