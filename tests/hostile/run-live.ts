/** One live attack: a server over a copy of the loaded store, the gauge around it, the stop at the end. */

import type { Goals, LiveAttack, Outcome, Stage } from './attack.ts';
import { loopJoin } from './attacks/work/abandoned.ts';
import { residentLimitMib } from './gauge/formula.ts';
import { startPoller } from './gauge/poller.ts';
import { isRunning, openThreadTimes, peakMib, processorMs, resetPeak } from './gauge/process.ts';
import { untilQuiet } from './gauge/quiet.ts';
import type { Reading } from './gauge/reading.ts';
import { standardGoals } from './gauge/verdict.ts';
import { pointRead } from './programs/data.ts';
import { removeScratch } from './target/at-exit.ts';
import { knownFlags } from './target/flags.ts';
import { ask, type Request } from './target/request.ts';
import { type Server, startServer } from './target/server.ts';
import type { Store } from './target/store.ts';

const idlePhaseMs = 1000;
const settleMs = 500;
const afterMs = 1000;

export const goalsOf = (attack: LiveAttack): Goals => ({ ...standardGoals, ...attack.goals });

export async function runLive(attack: LiveAttack, store: Store): Promise<Reading> {
  const directory = store.copy();
  const flags = knownFlags(store.binary, attack.flags ?? []);
  const { env, nofile } = attack;
  const own = { ...(env && { env }), ...(nofile !== undefined && { nofile }) };
  const server = await startServer({ binary: store.binary, directory, flags, ...own });
  try {
    return await underGauge(attack, server, store.rows, residentLimitMib(flags));
  } finally {
    server.kill('SIGKILL');
    await server.exited;
    removeScratch(directory);
  }
}

async function underGauge(
  attack: LiveAttack,
  server: Server,
  rows: number,
  limitMib: number,
): Promise<Reading> {
  await using poller = startPoller(server.port, server.pid, pointRead(Math.floor(rows / 2)));
  const stage = stageOf(server, poller, rows);
  await attack.prepare?.(stage);
  await meet(stage);
  // Merges after the start, or after the preparation, belong to no attack.
  await untilQuiet(server.pid);
  await poller.phase();
  await Bun.sleep(idlePhaseMs);
  const idle = await poller.phase();
  resetPeak(server.pid);
  const { outcome, ms } = await timed(() => attack.strike(stage));
  await Bun.sleep(settleMs);
  const phase = await poller.phase();
  await poller[Symbol.asyncDispose]();
  const isRunningOn = isRunning(server.pid);
  const after = isRunningOn ? await processorShares(server.pid) : { all: 0, main: 0 };
  const peak = isRunningOn ? peakMib(server.pid) : 0;
  const isAlive = isRunningOn && (await answers(server.port, rows));
  const stop = await server.stop((goalsOf(attack).stopMs ?? 60_000) + 5000);
  return {
    ...outcome,
    ...{ ms, idle, attack: phase, peakMib: peak, limitMib, after, isAlive },
    ...{ stopMs: stop?.ms, stopCode: stop?.code },
  };
}

/** What a process does once, in the background, when a table is first asked for, such as surveying it, belongs to no attack either. */
async function meet({ execute }: Stage): Promise<void> {
  await execute(loopJoin(), { headers: { 'svc-deadline-ms': '100' } });
  // Begun by then.
  await Bun.sleep(settleMs);
}

function stageOf(server: Server, poller: Stage['poller'], rows: number): Stage {
  const { port } = server;
  const askHere = (request: Request) => ask(port, request);
  const execute: Stage['execute'] = (body, request) =>
    askHere({ path: '/execute', ...request, body });
  return { server, port, poller, rows, ask: askHere, execute };
}

async function timed(strike: () => Promise<Outcome>) {
  const startedAt = performance.now();
  const outcome = await strike();
  return { outcome, ms: performance.now() - startedAt };
}

async function processorShares(pid: number): Promise<Reading['after']> {
  const main = openThreadTimes(pid);
  const [all, { ranMs }, startedAt] = [processorMs(pid), main(), performance.now()];
  await Bun.sleep(afterMs);
  const wallMs = performance.now() - startedAt;
  return { all: (processorMs(pid) - all) / wallMs, main: (main().ranMs - ranMs) / wallMs };
}

async function answers(port: number, rows: number): Promise<boolean> {
  const livez = await ask(port, { path: '/livez', limitMs: 10_000 });
  const body = pointRead(Math.floor(rows / 3));
  const point = await ask(port, { path: '/execute', body, limitMs: 10_000 });
  return livez.status === 200 && (point.status === 200 || point.status === 422);
}
