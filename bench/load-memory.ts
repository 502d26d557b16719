/** Peak resident set of a server with default options while 5 GB of rows are loaded through programs; 0.5 GB with `--quick`. */

import { readFileSync } from 'node:fs';
import { randomNumbers } from './engine/entries.ts';
import type { Measurement } from './measure.ts';
import { startSvc } from './server-process.ts';

const goalBytes = 700e6;
const textBytes = 1000;
const rowsPerProgram = 2000;
const clients = 2;

const table = {
  name: 'load',
  columns: [
    { name: 'id', type: 'int64' },
    { name: 'text', type: 'text' },
  ],
  primary_key: ['id'],
};

export async function benchLoadMemory(isQuick: boolean): Promise<readonly Measurement[]> {
  const totalBytes = isQuick ? 0.5e9 : 5e9;
  const programs = Math.ceil(totalBytes / (rowsPerProgram * textBytes));
  await using svc = await startSvc();
  await post(svc.port, '/tables', JSON.stringify(table));
  const texts = textPool();
  const started = performance.now();
  let next = 0;
  const client = async () => {
    for (let program = next++; program < programs; program = next++) {
      await post(svc.port, '/execute', createRows(program, texts));
      if (program % 250 === 0) report(svc.pid, program / programs, started);
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
  const seconds = (performance.now() - started) / 1000;
  const peak = peakBytes(svc.pid);
  const rate = Math.round(totalBytes / 1e6 / seconds);
  return [
    {
      name: `peak resident set of a load of ${totalBytes / 1e9} GB (${rate} MB/s)`,
      goal: 1,
      ratio: goalBytes / peak,
      subject: `${Math.round(peak / 1e6)} MB`,
      reference: `${goalBytes / 1e6} MB`,
    },
  ];
}

/** The highest resident set that the process has ever had, as Linux keeps it. */
function peakBytes(pid: number): number {
  const match = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  if (match === null) throw new Error('the system does not tell the peak of a process');
  return Number(match[1]) * 1024;
}

function report(pid: number, share: number, started: number): void {
  const seconds = Math.round((performance.now() - started) / 1000);
  const peak = Math.round(peakBytes(pid) / 1e6);
  console.error(`  ${Math.round(share * 100)} % after ${seconds} s, peak ${peak} MB`);
}

/** Texts that do not repeat within a block and do not compress to nothing. */
function textPool(): readonly string[] {
  const random = randomNumbers(7);
  const letters = Array.from({ length: 1 << 16 }, () =>
    String.fromCharCode(97 + (random() % 26)),
  ).join('');
  return Array.from({ length: 997 }, () => {
    const from = random() % (letters.length - textBytes);
    return letters.slice(from, from + textBytes);
  });
}

function createRows(program: number, texts: readonly string[]): string {
  const rows = Array.from({ length: rowsPerProgram }, (_, i) => {
    const id = program * rowsPerProgram + i;
    return [String(id), texts[(id * 31) % texts.length]];
  });
  const columns = table.columns.map(({ name, type }) => ({ name, type }));
  const relation = {
    nodes: { r: { kind: 'rows', scope: 'r', columns, rows } },
    root: { node: 'r', cardinality: 'many' },
  };
  return JSON.stringify({ statements: [{ kind: 'create', name: 'c', table: 'load', relation }] });
}

/** A server that cannot take more at the moment is asked again when it says. */
async function post(port: number, path: string, body: string): Promise<void> {
  for (;;) {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: 'POST',
      headers,
      body,
    });
    const text = await response.text();
    if (response.ok) return;
    if (response.status !== 503) throw new Error(`${path} answered ${response.status}: ${text}`);
    await Bun.sleep(Number(response.headers.get('retry-after') ?? 1) * 1000);
  }
}
