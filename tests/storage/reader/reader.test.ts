/** Readers of a store that somebody else writes: what they see, what they keep alive, and what they are told when it is gone. */

import { describe, expect, test } from 'bun:test';
import { StorageError } from '#storage';
import type { Manifest } from '../../../src/storage/manifest/manifest.ts';
import { loadNewestManifest, writeManifest } from '../../../src/storage/manifest/manifest-store.ts';
import { outcomeOf } from '../../support/outcome.ts';
import { bytes, read, take, write } from '../transaction/support.ts';
import { share } from './support.ts';

const everything = { from: bytes(''), to: undefined };

test('a reader does not go back when a writer takes over from one that published meanwhile', async () => {
  const { writer, reader, objects, names } = share('segments');
  const store = await writer();
  await write(store, { a: '1' });
  await store.tidy();
  const found = (await loadNewestManifest(objects)) as Manifest;
  // Its pin keeps the tables of what the next writer has found.
  const behind = await reader();
  const ahead = await reader();
  await write(store, { a: '2' });
  await store.tidy();
  expect(await ahead.refresh()).toBe(true);
  const pins = await names('pin/');
  await writeManifest(objects, { ...found, epoch: found.epoch + 1, number: 1 });
  expect(await ahead.refresh()).toBe(false);
  expect(await names('pin/')).toEqual(pins);
  expect(await read(ahead.snapshot(), 'a')).toBe('2');
  expect(await behind.refresh()).toBe(true);
  expect(await read(behind.snapshot(), 'a')).toBe('1');
  await behind.close();
  await ahead.close();
  await store.close();
});

for (const kind of ['segments', 'bucket'] as const) {
  describe(kind, () => {
    test('a place without a store is empty, and stays so', async () => {
      const { reader, names } = share(kind);
      const error = (await reader().catch((thrown: unknown) => thrown)) as StorageError;
      expect(error.fault).toEqual({ kind: 'empty', place: 'shared' });
      expect(await names('')).toEqual([]);
    });

    test('a reader sees what was published, and moves on when it is told to look', async () => {
      const { writer, reader, names } = share(kind);
      const store = await writer();
      await write(store, { a: '1', b: '1' });
      const early = await reader();
      expect(await take(early.snapshot().scan(everything, 'forward'))).toEqual([]);
      await store.tidy();
      expect(await early.refresh()).toBe(true);
      expect(await early.refresh()).toBe(false);
      const view = early.snapshot();
      await write(store, { a: '2', c: '2' });
      await store.tidy();
      expect(await early.refresh()).toBe(true);
      // One view is one state.
      expect(await take(view.scan(everything, 'forward'))).toEqual(['a=1', 'b=1']);
      expect(await take(early.snapshot().scan(everything, 'forward'))).toEqual([
        'a=2',
        'b=1',
        'c=2',
      ]);
      expect(await read(early.snapshot(), 'c')).toBe('2');
      view.release();
      await early.close();
      expect(await names('pin/')).toEqual([]);
      await store.close();
    });

    test('what a view reads is kept until it is released, however much is merged meanwhile', async () => {
      const { world, writer, reader, names } = share(kind);
      const store = await writer();
      for (let i = 0; i < 50; i++) await write(store, { [`key ${i}`]: 'x'.repeat(50) });
      await store.tidy();
      const follower = await reader({ cacheBytes: 0 });
      const view = follower.snapshot();
      const before = await names('sst/');
      for (let round = 0; round < 4; round++) {
        for (let i = 0; i < 50; i++) await write(store, { [`key ${i}`]: `${round}`.repeat(50) });
        await store.tidy();
        await follower.refresh();
      }
      expect(await names('sst/')).toEqual(expect.arrayContaining(before));
      for (let i = 0; i < 50; i++) expect(await read(view, `key ${i}`)).toBe('x'.repeat(50));
      expect(await read(follower.snapshot(), 'key 7')).toBe('3'.repeat(50));
      view.release();
      // The writer asks again after a second.
      await follower.refresh();
      world.advance(1000);
      await store.idle();
      for (let turn = 0; turn < 20; turn++) await world.scheduler.yield();
      for (const name of before) expect(await names('sst/')).not.toContain(name);
      await follower.close();
      await store.close();
    });

    test('a writer with readers publishes once a second, one without does not', async () => {
      const { world, writer, reader } = share(kind);
      const settle = async () => {
        for (let turn = 0; turn < 20; turn++) await world.scheduler.yield();
      };
      const store = await writer({ memtableBytes: 1 << 20 });
      await write(store, { a: '1' });
      world.advance(1000);
      await settle();
      expect(store.statistics().flush.flushes).toBe(0);
      const follower = await reader();
      world.advance(5000);
      await settle();
      expect(store.statistics().flush.flushes).toBe(1);
      await follower.refresh();
      expect(await read(follower.snapshot(), 'a')).toBe('1');
      for (let i = 0; i < 5; i++) await write(store, { a: `${i}` });
      world.advance(1000);
      await settle();
      expect(store.statistics().flush.flushes).toBe(2);
      // Nothing new, nothing published.
      for (let second = 0; second < 10; second++) world.advance(1000);
      await settle();
      expect(store.statistics().flush.flushes).toBe(2);
      expect(await read(follower.snapshot(), 'a')).toBe('4');
      await follower.close();
      await store.close();
    });

    test('a manifest that is listed and never there is no reason to ask for ever', async () => {
      let asked = 0;
      const { writer, reader, names } = share(kind, (objects) => ({
        ...objects,
        async get(name) {
          return asked++ < 1000 ? undefined : objects.get(name);
        },
      }));
      const store = await writer();
      const [newest] = await names('manifest/');
      const error = (await reader().catch((thrown: unknown) => thrown)) as StorageError;
      expect(error.fault).toEqual({ kind: 'io', operation: 'read', object: newest as string });
      await store.close();
    });

    test('a closed reader does not pin anything again', async () => {
      const { writer, reader, names } = share(kind);
      const store = await writer();
      const follower = await reader();
      await write(store, { a: '1' });
      await store.tidy();
      await follower.close();
      expect(await follower.refresh()).toBe(false);
      expect(await names('pin/')).toEqual([]);
      await store.close();
    });

    test('pins that could not be deleted when it moved on go when it closes', async () => {
      let isRefused = false;
      const { writer, reader, names } = share(kind, (objects) => ({
        ...objects,
        async delete(given) {
          if (isRefused) throw new Error('not now');
          await objects.delete(given);
        },
      }));
      const store = await writer();
      const follower = await reader();
      await write(store, { a: '1' });
      await store.tidy();
      isRefused = true;
      await follower.refresh();
      expect(await names('pin/')).toHaveLength(2);
      isRefused = false;
      await follower.close();
      expect(await names('pin/')).toEqual([]);
      await store.close();
    });

    test('a reader polls on its own', async () => {
      const { world, writer, reader } = share(kind);
      const store = await writer();
      const follower = await reader({ pollMs: 250 });
      await write(store, { a: '1' });
      await store.tidy();
      world.advance(250);
      for (let turn = 0; turn < 20; turn++) await world.scheduler.yield();
      expect(await read(follower.snapshot(), 'a')).toBe('1');
      await follower.close();
      await store.close();
    });

    test('equal states are named equally by writer and readers, also after a crash', async () => {
      const areaOf = (bytes: Uint8Array, from: number) => bytes[from];
      const { writer, reader } = share(kind);
      const store = await writer({ areaOf });
      await write(store, { a1: '1', b1: '1' });
      await write(store, { b1: '2' });
      await store.tidy();
      const follower = await reader();
      const names = () =>
        ['a', 'b', 'c'].map((area) => {
          const code = area.charCodeAt(0);
          return [store.changeOf(code), follower.changeOf(code)];
        });
      for (const [ours, theirs] of names()) expect(theirs).toBe(ours as string);
      const [a, b, c] = names().map(([ours]) => ours);
      expect(new Set([a, b, c]).size).toBe(3);
      expect(c).toBe('');
      await write(store, { b1: '3', c1: '3' });
      expect([store.changeOf(97), follower.changeOf(98)]).toEqual([a as string, b as string]);
      expect(store.changeOf(98)).not.toBe(b as string);
      await store.close();
      const again = await writer({ areaOf });
      expect(again.changeOf(97)).toBe(a as string);
      expect(again.changeOf(98)).not.toBe(b as string);
      await again.tidy();
      await follower.refresh();
      for (const area of [97, 98, 99]) expect(follower.changeOf(area)).toBe(again.changeOf(area));
      await follower.close();
      await again.close();
    });

    test('many readers hold different states', async () => {
      const { writer, reader, names } = share(kind);
      const store = await writer();
      const readers = [];
      for (let round = 0; round < 6; round++) {
        for (let i = 0; i < 20; i++) await write(store, { [`key ${i}`]: `${round}`.repeat(40) });
        await store.tidy();
        readers.push(await reader({ cacheBytes: 0 }));
      }
      expect(await names('pin/')).toHaveLength(6);
      for (const [round, follower] of readers.entries()) {
        expect(await read(follower.snapshot(), 'key 3')).toBe(`${round}`.repeat(40));
        await follower.close();
      }
      expect(await names('pin/')).toEqual([]);
      await store.close();
    });

    test('a dropped range is there as a whole until the state that a reader sees has dropped it', async () => {
      const { world, writer, reader } = share(kind);
      const store = await writer({ memtableBytes: 3000 });
      for (let i = 0; i < 60; i++) await write(store, { [`a ${i}`]: 'x'.repeat(60) });
      await store.tidy();
      const follower = await reader({ cacheBytes: 0 });
      const rows = async () => {
        const view = follower.snapshot();
        const range = { from: bytes('a'), to: bytes('b') };
        const count = (await take(view.scan(range, 'forward'))).length;
        const isDropped = (await read(view, 'mark')) !== undefined;
        view.release();
        return `${count} ${isDropped ? 'after' : 'before'}`;
      };
      const drop = store.begin();
      drop.dropRange({ from: bytes('a'), to: bytes('b') });
      drop.put(bytes('mark'), bytes('1'));
      await drop.commit();
      drop.release();
      const seen = new Set<string>();
      for (let i = 0; i < 80; i++) {
        await write(store, { [`c ${i}`]: 'y'.repeat(60) });
        for (let turn = 0; turn < 5; turn++) await world.scheduler.yield();
        await follower.refresh();
        seen.add(await rows());
      }
      await store.tidy();
      await follower.refresh();
      seen.add(await rows());
      expect([...seen]).toEqual(['60 before', '0 after']);
      await follower.close();
      await store.close();
    });

    test('a manifest that was overtaken while its pin was written is not read', async () => {
      let meanwhile = async () => {};
      const { writer, reader, names } = share(kind, (objects) => ({
        ...objects,
        put: async (name, body) => {
          const work = meanwhile;
          meanwhile = async () => {};
          if (name.startsWith('pin/')) await work();
          await objects.put(name, body);
        },
      }));
      const store = await writer();
      for (let i = 0; i < 40; i++) await write(store, { [`key ${i}`]: 'x'.repeat(50) });
      await store.tidy();
      const before = await names('sst/');
      meanwhile = async () => {
        for (let i = 0; i < 40; i++) await write(store, { [`key ${i}`]: 'y'.repeat(50) });
        await store.tidy();
        for (const name of before) expect(await names('sst/')).not.toContain(name);
      };
      const follower = await reader();
      for (let i = 0; i < 40; i++) {
        expect(await read(follower.snapshot(), `key ${i}`)).toBe('y'.repeat(50));
      }
      expect(await names('pin/')).toHaveLength(1);
      await follower.close();
      await store.close();
    });

    test('a table that is missing although it is pinned is damage', async () => {
      const { writer, reader, names, objects } = share(kind);
      const store = await writer();
      for (let i = 0; i < 40; i++) await write(store, { [`key ${i}`]: 'x'.repeat(50) });
      await store.tidy();
      const table = (await names('sst/'))[0] as string;
      await objects.delete([table]);
      const follower = await reader();
      const failure = await read(follower.snapshot(), 'key 0').catch((thrown: unknown) => thrown);
      expect(failure).toMatchObject({
        failure: { reason: 'storage_unavailable' },
        cause: { fault: { kind: 'missing', object: table } },
      });
      expect(follower.statistics().damaged).toMatchObject([{ table, kind: 'missing' }]);
      await follower.close();
      expect(await names('pin/')).toEqual([]);
      await store.close();
    });

    test('a reader that cannot read what comes next says so, and shows what it has', async () => {
      const { world, writer, reader, names, objects } = share(kind);
      const store = await writer();
      await write(store, { a: '1' });
      await store.tidy();
      const follower = await reader();
      await write(store, { a: '2' });
      await store.tidy();
      const manifest = (await names('manifest/')).at(-1) as string;
      const good = (await objects.get(manifest)) as Uint8Array;
      await objects.put(
        manifest,
        good.map((byte, i) => (i === 60 ? byte ^ 1 : byte)),
      );
      world.advance(1000);
      for (let turn = 0; turn < 20; turn++) await world.scheduler.yield();
      expect(await follower.observe()).toMatchObject({
        fault: { kind: 'corrupt', object: manifest },
      });
      expect(await read(follower.snapshot(), 'a')).toBe('1');
      await follower.close();
      await store.close();
    });

    test('a place that does not answer leaves the reader where it is', async () => {
      let isDown = false;
      const { world, writer, reader } = share(kind, (objects) => ({
        ...objects,
        list: async (prefix, after) => {
          if (isDown) throw new StorageError({ kind: 'io', operation: 'list', object: prefix });
          return objects.list(prefix, after);
        },
      }));
      const store = await writer();
      await write(store, { a: '1' });
      await store.tidy();
      const follower = await reader();
      expect(await follower.observe()).toBeUndefined();
      isDown = true;
      for (let second = 0; second < 3; second++) {
        world.advance(1000);
        await world.scheduler.yield();
      }
      expect(await outcomeOf(follower.observe())).toThrow('list manifest/ failed');
      expect(await read(follower.snapshot(), 'a')).toBe('1');
      isDown = false;
      expect(await follower.observe()).toBeUndefined();
      await follower.close();
      await store.close();
    });

    test('writes are refused', async () => {
      const { writer, reader } = share(kind);
      const store = await writer();
      const follower = await reader();
      expect(() => follower.begin()).toThrow('read-only reader');
      await follower.close();
      await store.close();
    });

    test('a reader that was away for too long is told, and then goes on', async () => {
      const { world, writer, reader, names } = share(kind);
      const store = await writer();
      for (let i = 0; i < 40; i++) await write(store, { [`key ${i}`]: 'x'.repeat(50) });
      await store.tidy();
      const follower = await reader({ cacheBytes: 0, pollMs: 1e9 });
      const view = follower.snapshot();
      for (let i = 0; i < 40; i++) await write(store, { [`key ${i}`]: 'y'.repeat(50) });
      await store.tidy();
      const pins = await names('pin/');
      expect(pins).toHaveLength(1);
      world.advance(3_600_000);
      for (let turn = 0; turn < 20; turn++) await world.scheduler.yield();
      expect(await names('pin/')).toEqual([]);
      const answer = await read(view, 'key 3').catch((thrown: unknown) => thrown);
      // An open file outlives its name; an object does not.
      if (kind === 'segments') expect(answer).toBe('x'.repeat(50));
      else expect(answer).toMatchObject({ failure: { status: 503, retryAfterSeconds: 1 } });
      expect(await follower.refresh()).toBe(true);
      expect(await read(follower.snapshot(), 'key 3')).toBe('y'.repeat(50));
      view.release();
      await follower.close();
      await store.close();
    });
  });
}
