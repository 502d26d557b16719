/** An empty store that was begun where a database had been: what comes back of that is never removed as a leftover. */

import { afterAll, expect, test } from 'bun:test';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemWorld } from '#base';
import { openStore } from '#storage';
import { troubleOf } from '../bucket/writer.ts';
import { write } from '../transaction/support.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-begun-'));
afterAll(() => rmSync(root, { recursive: true }));

const open = (path: string) => openStore({ storage: 'file', path, world: systemWorld() });

async function live(path: string, key: string, isFlushed = false): Promise<void> {
  const store = await open(path);
  await write(store, { [key]: '1' });
  if (isFlushed) await store.tidy();
  await store.close();
}

const namesIn = (path: string, ...below: string[]) =>
  below.flatMap((name) => readdirSync(join(path, name)).map((entry) => `${name}/${entry}`)).sort();

for (const below of ['wal', 'manifest', 'sst']) {
  test(`what was lost comes back after an empty store was begun: ${below}/`, async () => {
    const path = join(root, below);
    await live(path, 'first', below === 'sst');
    const copy = `${path}-copy`;
    cpSync(path, copy, { recursive: true });
    for (const name of ['manifest', 'wal', 'sst', 'runtime']) {
      rmSync(join(path, name), { recursive: true });
    }
    await live(path, 'second');
    await live(path, 'third');
    cpSync(join(copy, below), join(path, below), { recursive: true });
    const restored = namesIn(copy, below);
    for (let start = 0; start < 2; start++) {
      expect(await troubleOf(open(path))).toEqual({
        kind: 'foreign',
        object: restored[0] as string,
        begun: 2,
      });
      expect(namesIn(path, below)).toEqual(expect.arrayContaining(restored));
    }
    for (const name of restored) rmSync(join(path, name));
    await live(path, 'fourth', true);
    await live(path, 'fifth');
  });
}
