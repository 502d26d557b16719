/**
 * The executable that `npm run build` has made against an older one, `--old PATH`: reads by key and by unique index, durable inserts, updates, deletes and transfers, both servers alive and asked in turn. The
 * processor time of the main thread is the better witness where a disk or other work makes the rate differ. `TMPDIR` says where their data lies.
 */

import { existsSync } from 'node:fs';
import { openThreadTimes } from '../tests/hostile/gauge/process.ts';
import { load, prepare } from './connection.ts';
import type { Measurement } from './measure.ts';
import { type ServerProcess, startBuilt } from './server-process.ts';
import { createTable, send } from './setup.ts';
import { transfers } from './transfers.ts';
import {
  accountTable,
  createAccounts,
  createItems,
  createMembers,
  deleteMember,
  memberTable,
  readItem,
  readMember,
  updateItem,
} from './workload.ts';

const storedRows = 10_000;
const goal = 0.95;
const warmUpRounds = 4;
/** Rows that deletes take begin here; so many lie ready before each round, more than it takes. */
const deletedFrom = 1_000_000;
const deletedReady = 8_000;

/** Bodies without end. */
type Work = (side: Side) => () => Uint8Array;

interface Side {
  readonly server: ServerProcess;
  nextId: number;
  /** The next row that a delete names, and the end of those that are there. */
  nextDeleted: number;
  deletedTo: number;
}

interface Round {
  readonly rate: number;
  /** Microseconds of the main thread a request. */
  readonly micros: number;
}

const works: Readonly<Record<string, Work>> = {
  'primary-key reads': ({ server: { port } }) => {
    let turn = 0;
    return () => prepare(port, 'POST', '/execute', readItem((turn++ * 7919) % storedRows));
  },
  'unique-index reads': ({ server: { port } }) => {
    let turn = 0;
    return () => prepare(port, 'POST', '/execute', readMember((turn++ * 7919) % storedRows));
  },
  'durable updates by key': ({ server: { port } }) => {
    let turn = 0;
    return () => prepare(port, 'POST', '/execute', updateItem((turn++ * 7919) % storedRows, turn));
  },
  'durable deletes by key': (side) => () =>
    prepare(side.server.port, 'POST', '/execute', deleteMember(side.nextDeleted++)),
  'durable one-row inserts': (side) => () =>
    prepare(side.server.port, 'POST', '/execute', createItems(side.nextId++, 1)),
  'durable transfers': ({ server: { port } }) => transfers(port),
};

/** Two measurements each: of the rates, and of the processor time. */
export async function benchExecutables(
  isQuick: boolean,
  old: string | undefined,
): Promise<readonly Measurement[]> {
  if (old === undefined || !existsSync(old)) {
    throw new Error('executables: --old PATH names an older executable to compare with');
  }
  await using now = await startBuilt();
  await using before = await startBuilt(old);
  const sides = [before, now].map(
    (server): Side => ({
      server,
      nextId: storedRows,
      nextDeleted: deletedFrom,
      deletedTo: deletedFrom,
    }),
  );
  for (const { server } of sides) {
    await createTable(server.port);
    for (let from = 0; from < storedRows; from += 1000) {
      await send(server.port, createItems(from, 1000));
    }
    await createTable(server.port, memberTable);
    for (let from = 0; from < storedRows; from += 1000) {
      await send(server.port, createMembers(from, 1000));
    }
    await createTable(server.port, accountTable);
    await send(server.port, createAccounts());
  }
  const results: Measurement[] = [];
  for (const [name, work] of Object.entries(works)) {
    for (const connections of [1, 16, 64]) {
      const rounds = await roundsOf(sides, work, connections, isQuick ? 9 : 25);
      results.push(...measurements(`${name}, ${connections} connections`, rounds));
    }
  }
  return results;
}

/** Of the older executable and of this one. */
async function roundsOf(
  sides: readonly Side[],
  work: Work,
  connections: number,
  count: number,
): Promise<readonly (readonly Round[])[]> {
  const rounds: Round[][] = sides.map(() => []);
  for (let round = -warmUpRounds; round < count; round++) {
    // Whoever comes first finds another machine than the second: they take turns in that as well.
    const order = round % 2 === 0 ? [0, 1] : [1, 0];
    for (const at of order) {
      const side = sides[at] as Side;
      await refill(side);
      const made = await roundOf(side, work, connections);
      if (round >= 0) rounds[at]?.push(made);
    }
  }
  return rounds;
}

async function refill(side: Side): Promise<void> {
  for (; side.deletedTo - side.nextDeleted < deletedReady; side.deletedTo += 1000) {
    await send(side.server.port, createMembers(side.deletedTo, 1000));
  }
}

async function roundOf(side: Side, work: Work, connections: number): Promise<Round> {
  const { pid, port } = side.server;
  const times = openThreadTimes(pid);
  const { ranMs } = times();
  const { requests, seconds, failures } = await load(port, connections, 250, work(side));
  if (failures > 0) throw new Error(`${failures} requests failed`);
  return { rate: requests / seconds, micros: ((times().ranMs - ranMs) * 1000) / requests };
}

function measurements(name: string, rounds: readonly (readonly Round[])[]): Measurement[] {
  const [before, now] = rounds as [readonly Round[], readonly Round[]];
  const median = (of: (round: Round) => number, list: readonly Round[]) =>
    list.map(of).sort((a, b) => a - b)[list.length >> 1] as number;
  const rate = (round: Round) => round.rate;
  const micros = (round: Round) => round.micros;
  const show = (of: (round: Round) => number, list: readonly Round[], unit: string) =>
    `${median(of, list).toFixed(1)}${unit}`;
  return [
    {
      name: `${name}: rate`,
      goal,
      ratio: medianRatio(now.map(rate), before.map(rate)),
      subject: show(rate, now, '/s'),
      reference: show(rate, before, '/s'),
    },
    {
      name: `${name}: main thread`,
      goal,
      ratio: medianRatio(before.map(micros), now.map(micros)),
      subject: show(micros, now, ' µs'),
      reference: show(micros, before, ' µs'),
    },
  ];
}

/** Of the pairs that were measured one after the other. */
function medianRatio(above: readonly number[], below: readonly number[]): number {
  const ratios = above.map((value, i) => value / (below[i] as number));
  return ratios.sort((a, b) => a - b)[ratios.length >> 1] as number;
}
