/** The bare store on a directory: transactions in, one snapshot out. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isPending, systemWorld } from '#base';
import { openStore } from '#storage';
import type { Subject, SubjectOptions } from './subject.ts';

const everything = { from: new Uint8Array(), to: undefined };

export async function openSvcStore({ isDurable, cacheBytes }: SubjectOptions): Promise<Subject> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-bench-store-'));
  const store = await openStore({
    storage: 'file',
    path: directory,
    world: systemWorld(),
    commitDurability: isDurable ? 'durable' : 'memory',
    cacheBytes,
    scansFillCache: true,
  });
  return {
    async put(entries, batchSize) {
      for (let from = 0; from < entries.length; from += batchSize) {
        await store.admitWrite();
        const transaction = store.begin();
        const to = Math.min(from + batchSize, entries.length);
        for (let i = from; i < to; i++) {
          const { key, value } = entries[i] as (typeof entries)[number];
          transaction.put(key, value);
        }
        const { kind } = await transaction.commit();
        transaction.release();
        if (kind !== 'committed') throw new Error(`a batch ended as ${kind}`);
      }
    },
    settle: () => store.tidy(),
    get(keys) {
      const view = store.snapshot();
      let found = 0;
      for (const key of keys) {
        const value = view.get(key);
        if (isPending(value)) throw new Error('a local read waits');
        if (value !== undefined) found++;
      }
      view.release();
      return found;
    },
    scan() {
      const view = store.snapshot();
      const cursor = view.scan(everything, 'forward');
      let count = 0;
      let sum = 0;
      for (;;) {
        const moved = cursor.next();
        if (isPending(moved)) throw new Error('a local scan waits');
        if (!moved) break;
        sum +=
          (cursor.key[cursor.keyFrom + 15] as number) + (cursor.value[cursor.valueFrom] as number);
        count++;
      }
      cursor.close();
      view.release();
      return sum > 0 ? count : 0;
    },
    async [Symbol.asyncDispose]() {
      await store.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
