/**
 * `bun run bench/point-reads.ts [--rows N] [--seconds S]`: reads by primary key without HTTP, of rows that lie in blocks in the cache. A program that was planned
 * before is run again with another key: tickets, snapshots and operators count, texts do not. Microseconds of the processor a read: the least and the median of the rounds.
 */

import { parseArgs } from 'node:util';
import { systemWorld } from '#base';
import { type Engine, openEngine } from '#engine';
import { checkProgram } from '#wire';
import { createItems, itemTable, readItem } from './workload.ts';

const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '50000' },
    seconds: { type: 'string', default: '6' },
  },
});
const rows = Number(values.rows);
const rounds = 10;
const options = { showPlan: false, dryRun: false };

const engine = await filled();
const { prepared } = await run(readItem(1));
const roundMs = (Number(values.seconds) * 1_000) / rounds;
const perRead: number[] = [];
for (let round = 0; round < rounds; round++) perRead.push(measured());
perRead.sort((a, b) => a - b);
const [least, median] = [perRead[0], perRead[rounds / 2]] as [number, number];
console.log(`${least.toFixed(2)} ${median.toFixed(2)} µs a read`);
await engine.close();

/** Microseconds of the processor for each read of one round. */
function measured(): number {
  const started = performance.now();
  const before = process.cpuUsage();
  let count = 0;
  for (; performance.now() - started < roundMs; count += 1_000) {
    for (let i = 0; i < 1_000; i++) read(((count + i) * 7919) % rows);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

function read(id: number): void {
  const requestContext = engine.requestContext({});
  const response = engine.execute(
    {
      program: () => checkProgram(JSON.parse(readItem(id))),
      known: { program: prepared, parameters: [id] },
    },
    requestContext,
  );
  requestContext.close();
  if (response instanceof Promise || response.result?.rows.length !== 1) {
    throw new Error(`row ${id} was not read at once`);
  }
}

async function filled(): Promise<Engine> {
  const made = await openEngine({
    storage: 'memory',
    path: '',
    mode: 'direct',
    world: systemWorld(),
    // Every commit becomes a table, and all of them one: nothing is left in memtables.
    tuning: { memtableBytes: 1 },
    programMemoryBytes: 256 << 20,
    statementTimeoutMs: 0,
    concurrency: 1,
    queueMax: 1,
    holderAddress: 'bench',
  });
  const create = { kind: 'create_table', name: 't', table: itemTable };
  await made.execute({ program: () => checkProgram({ statements: [create] }), ...options });
  for (let from = 0; from < rows; from += 1_000) {
    await made.execute({
      program: () => checkProgram(JSON.parse(createItems(from, 1_000))),
      ...options,
    });
  }
  await Bun.sleep(2_000);
  return made;
}

async function run(text: string) {
  return engine.execute({ program: () => checkProgram(JSON.parse(text)), ...options });
}
