/** LevelDB through classic-level, each operation by its fastest way. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import type { Subject, SubjectOptions } from './subject.ts';

const scanStep = 1000;

export async function openLevelDb({ isDurable, cacheBytes }: SubjectOptions): Promise<Subject> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-bench-leveldb-'));
  const encodings = { keyEncoding: 'view', valueEncoding: 'view' } as const;
  const db = new ClassicLevel<Uint8Array, Uint8Array>(directory, encodings);
  await db.open({ cacheSize: cacheBytes });
  return {
    async put(entries, batchSize) {
      for (let from = 0; from < entries.length; from += batchSize) {
        const batch = db.batch();
        const to = Math.min(from + batchSize, entries.length);
        for (let i = from; i < to; i++) {
          const { key, value } = entries[i] as (typeof entries)[number];
          batch.put(key, value);
        }
        await batch.write({ sync: isDurable });
      }
    },
    settle: () => db.compactRange(new Uint8Array([0]), new Uint8Array([0xff])),
    get(keys) {
      let found = 0;
      for (const key of keys) if (db.getSync(key) !== undefined) found++;
      return found;
    },
    async scan() {
      const iterator = db.iterator({ fillCache: true });
      let count = 0;
      let sum = 0;
      for (;;) {
        const entries = await iterator.nextv(scanStep);
        if (entries.length === 0) break;
        for (const [key, value] of entries) sum += (key[15] as number) + (value[0] as number);
        count += entries.length;
      }
      await iterator.close();
      return sum > 0 ? count : 0;
    },
    async [Symbol.asyncDispose]() {
      await db.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
