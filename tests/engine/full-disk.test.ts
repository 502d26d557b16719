/** An engine over a directory without room: it opens to be read, and takes writes once there is some. */

import { expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Random, systemWorld } from '#base';
import { StorageError } from '#storage';
import { outcomeOf } from '../support/outcome.ts';
import { memoryEngine } from './support/memory-engine.ts';

test('a directory that is full at the start can be read, and written once there is room', async () => {
  const path = mkdtempSync(join(tmpdir(), 'svc-full-'));
  const system = systemWorld();
  let isFull = false;
  // Whatever is created needs a name by chance: none is created while the disk is full.
  const random: Random = {
    ...system.random,
    fill: (bytes) => {
      if (!isFull) return system.random.fill(bytes);
      throw new StorageError({ kind: 'full', operation: 'create', object: 'a file' });
    },
  };
  const options = { storage: 'file', path, world: { ...system, random } } as const;
  try {
    const first = await memoryEngine(options);
    const { location } = await first.info();
    await first.close();
    isFull = true;
    const engine = await memoryEngine(options);
    expect(await engine.info()).toMatchObject({ location });
    expect(engine.isReady).toBe(false);
    expect(await engine.checkStorage()).toMatchObject({ kind: 'unavailable' });
    isFull = false;
    expect(await engine.checkStorage()).toMatchObject({ kind: 'ok' });
    expect(engine.isReady).toBe(true);
    await engine.close();
    isFull = true;
    const fresh = mkdtempSync(join(tmpdir(), 'svc-full-'));
    expect(await outcomeOf(memoryEngine({ ...options, path: fresh }))).toThrow('no space left');
    rmSync(fresh, { recursive: true });
  } finally {
    rmSync(path, { recursive: true });
  }
});
