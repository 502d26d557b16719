/**
 * How long the event loop stands still while the workloads are loaded and asked: a process beside the server asks /livez every 3 ms, and reads from the
 * kernel how long the main thread of the server ran between two answers.
 */

import { type Poller, startPoller } from '../tests/hostile/gauge/poller.ts';
import { peakMib, resetPeak } from '../tests/hostile/gauge/process.ts';
import type { Measurement } from './measure.ts';
import { startBuilt } from './server-process.ts';
import { svc } from './workloads/engines.ts';
import { pages } from './workloads/pages.ts';
import type { Workload } from './workloads/question.ts';
import { shop } from './workloads/shop.ts';

/** What no request may exceed. */
const goalMs = 20;
/** A question is asked so long. */
const askMs = 400;

export async function benchStretches(
  isQuick: boolean,
  rows = isQuick ? 10_000 : 100_000,
): Promise<readonly Measurement[]> {
  const results: Measurement[] = [];
  for (const workload of [shop(rows), pages(rows)]) {
    results.push(...(await stretchesOf(workload, `${rows} rows`)));
  }
  return results;
}

async function stretchesOf(
  { tables, questions }: Workload,
  label: string,
): Promise<readonly Measurement[]> {
  await using server = await startBuilt();
  await using poller = startPoller(server.port, server.pid, '');
  await using engine = svc(server.port);
  const results: Measurement[] = [];
  const watch = async (what: string, work: () => Promise<unknown>) => {
    resetPeak(server.pid);
    await poller.phase();
    await work();
    results.push(await measured(`${label}: ${what}`, poller, server.pid));
  };
  for (const table of tables) {
    await watch(`load ${table.name}`, () => engine.load(table));
    for (const columns of table.indexes) {
      await watch(`index ${columns.join(', ')}`, () => engine.addIndex(table, columns));
    }
  }
  for (const question of questions) {
    await watch(question.name, async () => {
      const end = performance.now() + askMs;
      for (let turn = 0; performance.now() < end; turn++) await engine.ask(question, turn);
    });
  }
  return results;
}

async function measured(name: string, poller: Poller, pid: number): Promise<Measurement> {
  const { livez } = await poller.phase();
  // Both are at least as long: the poller may have been late, or a turn of the loop may have been idle in between.
  const longest = Math.min(livez.ranMax, livez.heldMax);
  return {
    name,
    ratio: goalMs / longest,
    goal: 1,
    subject: `${longest.toFixed(1)} ms (99 % of the waits below ${livez.p99.toFixed(1)}), ${Math.round(peakMib(pid))} MiB`,
    reference: `${goalMs} ms allowed`,
  };
}
