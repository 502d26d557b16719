/** What a reader holds of each state: its pin and its open tables, given up with the last view of it. */

import { describe, expect, test } from 'bun:test';
import { StorageError } from '../../../src/storage/object/storage-fault.ts';
import { type OpenReaders, openReadersOf } from '../open-readers.ts';
import { read, write } from '../transaction/support.ts';
import { share } from './support.ts';

function shareWatched(kind: 'segments' | 'bucket') {
  let readers: OpenReaders | undefined;
  const shared = share(kind, (objects) => {
    readers = openReadersOf(objects);
    return readers.objects;
  });
  return { ...shared, openTables: () => readers?.openTables() ?? [] };
}

type Writer = Awaited<ReturnType<ReturnType<typeof share>['writer']>>;

async function fill(store: Writer, mark: string): Promise<void> {
  for (let i = 0; i < 20; i++) await write(store, { [`key ${i}`]: mark.repeat(50) });
  await store.tidy();
}

for (const kind of ['segments', 'bucket'] as const) {
  describe(kind, () => {
    test('a state that has been left is given up with its last view', async () => {
      const { writer, reader, names, openTables } = shareWatched(kind);
      const store = await writer();
      await fill(store, 'a');
      const follower = await reader();
      const old = openTables();
      expect(old).toEqual(await names('sst/'));
      const view = follower.snapshot();
      await fill(store, 'b');
      expect(await follower.refresh()).toBe(true);
      expect(openTables()).toEqual(expect.arrayContaining([...old]));
      expect(await names('pin/')).toHaveLength(2);
      expect(await read(view, 'key 3')).toBe('a'.repeat(50));
      view.release();
      for (const name of old) expect(openTables()).not.toContain(name);
      expect(await names('pin/')).toHaveLength(1);
      await follower.close();
      expect(openTables()).toEqual([]);
      await store.close();
    });

    test('a state that could not be prepared is given up at once, with its pin and its tables', async () => {
      let isRefused = false;
      const { writer, reader, names, openTables } = shareWatched(kind);
      const store = await writer();
      await fill(store, 'a');
      const prepare = async () => {
        if (isRefused) throw new StorageError({ kind: 'io', operation: 'read', object: 'rows' });
        return () => {};
      };
      const follower = await reader({ prepare, pollMs: 1e9 });
      const [open, pins] = [openTables(), await names('pin/')];
      await fill(store, 'b');
      isRefused = true;
      const failure = await follower.refresh().catch((error: unknown) => error);
      expect(failure).toMatchObject({ fault: { kind: 'io', object: 'rows' } });
      expect(openTables()).toEqual(open);
      expect(await names('pin/')).toEqual(pins);
      expect(follower.statistics().views).toBe(0);
      expect(await read(follower.snapshot(), 'key 3')).toBe('a'.repeat(50));
      isRefused = false;
      expect(await follower.refresh()).toBe(true);
      expect(await read(follower.snapshot(), 'key 3')).toBe('b'.repeat(50));
      await follower.close();
      await store.close();
    });
  });
}
