/** Reads blocks of a run at random over a cache of a given size, and prints how the resident set grew: `resident.ts DIRECTORY CACHE_BYTES`. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPending, systemWorld } from '#base';
import { storeDefaults } from '../../../src/storage/contract/limits.ts';
import { Lookup } from '../../../src/storage/cursor/lookup.ts';
import { fileStore } from '../../../src/storage/object/file-store.ts';
import { systemDirectory } from '../../../src/storage/object/system-directory.ts';
import { opaqueValues } from '../../../src/storage/table/opaque-codec.ts';
import { TableFiles } from '../../../src/storage/version/table-files.ts';
import { seededRandom } from '../object/seeded-world.ts';

const [directory = '', cacheBytes = ''] = process.argv.slice(2);
const { keys, keyBytes, tables } = JSON.parse(readFileSync(join(directory, 'tables.json'), 'utf8'));
const entries = tables.map((entry: { smallest: string; largest: string }) => ({
  ...entry,
  smallest: Buffer.from(entry.smallest, 'latin1'),
  largest: Buffer.from(entry.largest, 'latin1'),
}));
const { clock, ...rest } = systemWorld();
// Collections take no time here: what share of it they may take is another test's matter, and depends on what else the machine does.
const world = { ...rest, clock: { ...clock, monotonicMs: () => 0 } };
const files = new TableFiles({
  ...storeDefaults,
  world,
  objects: fileStore(systemDirectory(directory), world.random),
  codecs: opaqueValues,
  cacheBytes: Number(cacheBytes),
});
const [run] = await files.openRuns([{ level: 2, tables: entries }]);
if (run === undefined) throw new Error('there is no run');

const unit = seededRandom(1);
const lookup = new Lookup();
const key = Buffer.alloc(keyBytes);

function read(count: number): void {
  for (let i = 0; i < count; i++) {
    key.write(String(Math.floor(unit() * keys)).padStart(keyBytes, '0'), 'latin1');
    const found = run?.source.find(lookup.ask(key, Number.MAX_SAFE_INTEGER));
    if (isPending(found) || found !== true) throw new Error(`key ${key} was not found`);
  }
}

// What the runtime takes to begin with is not counted.
read(200);
const before = process.memoryUsage.rss();
let peak = before;
for (let round = 0; round < 100; round++) {
  read(200);
  await world.scheduler.yield();
  peak = Math.max(peak, process.memoryUsage.rss());
}
const { data, metadata } = files.cache;
const usedBytes = data.usedBytes + metadata.usedBytes;
console.log(JSON.stringify({ grownBytes: peak - before, usedBytes, evictions: data.evictions }));
