/** The cache is bounded in what the process really holds, not only in what it accounts. */

import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld } from '#base';
import { prepareTree } from '../../../src/storage/object/directory-tree.ts';
import { fileStore } from '../../../src/storage/object/file-store.ts';
import { tableName } from '../../../src/storage/object/names.ts';
import { systemDirectory } from '../../../src/storage/object/system-directory.ts';
import { writeTable } from '../files.ts';

const mib = 1 << 20;
const tables = 5;
const keysOfTable = 16_000;
const keyBytes = 12;
const valueBytes = 4096;
let directory = '';

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'svc-resident-'));
  const io = systemDirectory(directory);
  await prepareTree(io);
  const objects = fileStore(io, systemWorld().random);
  const entries: unknown[] = [];
  for (let number = 0; number < tables; number++) {
    const { entry, bytes } = writeTable(versionsOf(number), {}, tableName(1, number + 1));
    await objects.put(entry.name, bytes);
    const text = (key: Uint8Array) => Buffer.from(key).toString('latin1');
    entries.push({ ...entry, smallest: text(entry.smallest), largest: text(entry.largest) });
  }
  const content = { keys: tables * keysOfTable, keyBytes, tables: entries };
  writeFileSync(join(directory, 'tables.json'), JSON.stringify(content, withoutBigints));
}, 60_000);

afterAll(() => rmSync(directory, { recursive: true, force: true }));

function versionsOf(number: number) {
  return Array.from({ length: keysOfTable }, (_, i) => {
    const key = Buffer.from(String(number * keysOfTable + i).padStart(keyBytes, '0'), 'latin1');
    return { key, sequence: 1, value: new Uint8Array(valueBytes).fill(i) };
  });
}

const withoutBigints = (_: string, value: unknown) =>
  typeof value === 'bigint' ? String(value) : value;

/** In a process of its own, whose memory nothing else fills. */
async function grownWith(cacheBytes: number) {
  const script = join(import.meta.dir, 'resident.ts');
  const child = Bun.spawn([process.execPath, script, directory, String(cacheBytes)], {
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const text = await new Response(child.stdout).text();
  expect(await child.exited).toBe(0);
  return JSON.parse(text) as { grownBytes: number; usedBytes: number; evictions: number };
}

test('a cache stays near its size under random reads of much data', async () => {
  const small = await grownWith(16 * mib);
  const middle = await grownWith(64 * mib);
  const large = await grownWith(1024 * mib);
  expect(small.usedBytes).toBeLessThanOrEqual(16 * mib);
  expect(small.evictions).toBeGreaterThan(10_000);
  expect(middle.usedBytes).toBeGreaterThan(32 * mib);
  // Blocks that have left wait for the garbage collector.
  expect(small.grownBytes).toBeLessThan(112 * mib);
  expect(middle.grownBytes).toBeLessThan(208 * mib);
  // What the bound has to be able to find.
  expect(large.usedBytes).toBeGreaterThan(250 * mib);
  expect(large.grownBytes).toBeGreaterThan(280 * mib);
}, 60_000);
