/** A server under measurement, with the process that polls it. */

import { readFileSync } from 'node:fs';
import { type Poller, startPoller } from '../../../tests/hostile/gauge/poller.ts';
import { peakMib, processorMs, resetPeak } from '../../../tests/hostile/gauge/process.ts';
import { endAtExit } from '../../../tests/hostile/target/at-exit.ts';
import { type ServerProcess, startBuilt } from '../../server-process.ts';
import { type SvcEngine, svc } from '../engines/svc.ts';
import type { Gauge } from './outcome.ts';

const mib = 1 << 20;
const calmMs = 200;
const calmRounds = 5;
const settleMs = 60_000;
/** Clock ticks of Linux: the times of a process are multiples of it. */
const tickMs = 10;

export interface Target extends AsyncDisposable {
  readonly engine: SvcEngine;
  readonly server: ServerProcess;
  /** Runs `work`, which returns the number of its requests. */
  watched(work: () => Promise<number>): Promise<Gauge>;
}

/** Starts a server on `directory`, which remains when the server has ended. */
export async function openTarget(command: readonly string[], directory: string): Promise<Target> {
  const server = await startBuilt(command, directory);
  const forget = endAtExit(server.pid);
  const poller = startPoller(server.port, server.pid, '');
  const engine = { ...svc(server.port), settle: () => settled(server.pid) };
  return {
    engine,
    server,
    watched: (work) => watched(server.pid, poller, work),
    [Symbol.asyncDispose]: async () => {
      await poller[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      forget();
    },
  };
}

async function watched(pid: number, poller: Poller, work: () => Promise<number>): Promise<Gauge> {
  resetPeak(pid);
  await poller.phase();
  const before = readBytes(pid);
  const requests = await work();
  const readMib = (readBytes(pid) - before) / mib / Math.max(1, requests);
  const { livez } = await poller.phase();
  return { livezMs: livez.heldMax, peakMib: peakMib(pid), readMib };
}

/** Includes reads that the page cache serves. */
function readBytes(pid: number): number {
  return Number(/rchar: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, 'latin1'))?.[1] ?? 0);
}

/** Waits until the server has flushed and merged, at most a minute. */
async function settled(pid: number): Promise<void> {
  const until = performance.now() + settleMs;
  for (let calm = 0, last = -1; calm < calmRounds && performance.now() < until; ) {
    await Bun.sleep(calmMs);
    const now = processorMs(pid);
    // The poller costs the server a few percent of a processor.
    calm = now - last <= 2 * tickMs ? calm + 1 : 0;
    last = now;
  }
}
