/** `bun run bench/transition-steps.ts [ROWS]`: how many rows one step of an index build should take: rate of the build, and the longest stretch without a turn of the event loop. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld } from '#base';
import { openEngine } from '#engine';
import type { Program } from '#pir';
import { TransitionWorker } from '#transitions';
import { createItems, itemTable } from './workload.ts';

const rows = Number(process.argv[2] ?? 200_000);
const path = mkdtempSync(join(tmpdir(), 'svc-steps-'));
const engine = await openEngine({
  storage: 'file',
  path,
  mode: 'direct',
  world: systemWorld(),
  tuning: {},
  programMemoryBytes: 256 << 20,
  statementTimeoutMs: 0,
  concurrency: 8,
  queueMax: 64,
  holderAddress: 'bench',
  worksOnTransitions: false,
});
const run = (statement: object) =>
  engine.execute({ program: () => ({ statements: [statement] }) as unknown as Program });
await run({ kind: 'create_table', name: 't', table: itemTable });
for (let from = 0; from < rows; from += 2000) {
  await engine.execute({ program: () => JSON.parse(createItems(from, 2000)) as Program });
}
for (const unique of [false, true]) {
  for (const stepRows of [128, 256, 512, 1000, 2000]) {
    const worker = new TransitionWorker(engine['database'], { stepRows, runRowsMin: Infinity });
    const index = { name: 'i', columns: [unique ? 'id' : 'stock'], unique };
    await run({ kind: 'start_index_build', name: 's', table_id: 1, index });
    const busyBefore = process.cpuUsage();
    const startedMs = performance.now();
    let longestMs = 0;
    let turnMs = startedMs;
    let isOver = false;
    const watch = () => {
      const now = performance.now();
      longestMs = Math.max(longestMs, now - turnMs);
      turnMs = now;
      if (!isOver) setImmediate(watch);
    };
    setImmediate(watch);
    while (await worker.round());
    isOver = true;
    const seconds = (performance.now() - startedMs) / 1000;
    const { user, system } = process.cpuUsage(busyBefore);
    await run({ kind: 'delete_index', name: 'd', table_id: 1, index: 'i' });
    const rate = Math.round(rows / seconds);
    const processor = Math.round((rows * 1e6) / (user + system));
    console.log(
      `${unique ? 'unique' : 'plain '} ${stepRows} rows a step: ${rate} rows/s, ` +
        `${processor} rows per second of processor, longest pause ${longestMs.toFixed(1)} ms`,
    );
  }
}
await engine.close();
rmSync(path, { recursive: true });
