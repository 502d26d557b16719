/**
 * `bun run bench/space.ts [--rows N]`: the same rows ten times over with the defaults of the store, then nothing until it has come to rest:
 * what the directory occupies for each byte of keys and values, and what was written for each byte of a commit.
 */

import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemWorld } from '#base';
import { openStore } from '#storage';

const { values } = parseArgs({ options: { rows: { type: 'string', default: '862069' } } });
const rows = Number(values.rows);
const rounds = 10;
const rowsAtOnce = 500;
/** Until the store has seen that nothing goes on, and a bit more. */
const restMs = 8_000;
const world = systemWorld();
const path = mkdtempSync(join(tmpdir(), 'space-'));

function occupied(): number {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

const store = await openStore({ storage: 'file', path, world });
try {
  const key = new Uint8Array(16);
  const view = new DataView(key.buffer);
  const value = new Uint8Array(100);
  const logical = rows * (key.length + value.length);
  const from = performance.now();
  let most = 0;
  for (let round = 0; round < rounds; round++) {
    for (let at = 0; at < rows; at += rowsAtOnce) {
      await store.admitWrite();
      const transaction = store.begin();
      for (let i = at; i < Math.min(rows, at + rowsAtOnce); i++) {
        // In an order of its own, the same in every round.
        view.setUint32(0, Math.imul(i, 2654435761));
        view.setUint32(4, i);
        transaction.put(key, world.random.fill(value));
      }
      await transaction.commit();
      transaction.release();
    }
    most = Math.max(most, occupied());
  }
  const seconds = (performance.now() - from) / 1000;
  for (let quiet = 0; quiet < 2; quiet++) {
    await new Promise((resolve) => setTimeout(resolve, restMs));
    await store.idle();
  }
  const mib = (bytes: number) => `${Math.round(bytes / (1 << 20))} MiB`;
  console.log(`${rounds} rounds of ${rows} rows, ${mib(logical)}, in ${seconds.toFixed(1)} s`);
  console.log(`at most ${(most / logical).toFixed(2)} times that size at the end of a round`);
  console.log(`at rest ${mib(occupied())}: ${(occupied() / logical).toFixed(2)} times`);
  const { log, flush, compaction, writeAmplification } = store.statistics();
  console.log(
    `written ${writeAmplification.toFixed(2)} bytes for each byte of a commit: log ${mib(log.writtenBytes)}, ` +
      `flushes ${mib(flush.flushedBytes)}, merges ${mib(compaction.outputBytes)}`,
  );
  console.log(`resident at the end ${mib(process.memoryUsage().rss)}`);
} finally {
  await store.close();
  rmSync(path, { recursive: true, force: true });
}
