/** The contract of ObjectStore. */

import { describe, expect, test } from 'bun:test';
import type { ObjectStore } from '../../../src/storage/object/store.ts';

export const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
export const text = (value: Uint8Array | undefined): string | undefined =>
  value && new TextDecoder().decode(value);

export function objectStoreContract(name: string, open: () => Promise<ObjectStore>): void {
  describe(name, () => {
    test('gives back what was put, and replaces it', async () => {
      const store = await open();
      expect(await store.get('sst/a')).toBeUndefined();
      await store.put('sst/a', bytes('one'));
      await store.put('sst/a', [bytes('tw'), bytes(''), bytes('o')]);
      expect(text(await store.get('sst/a'))).toBe('two');
      expect(await store.head('sst/a')).toEqual({ name: 'sst/a', bytes: 3 });
      expect(await store.head('sst/b')).toBeUndefined();
    });

    test('puts if absent exactly once', async () => {
      const store = await open();
      const outcomes = await Promise.all(
        ['a', 'b', 'c'].map((body) => store.putIfAbsent('epoch/1', bytes(body))),
      );
      expect(outcomes.toSorted()).toEqual(['committed', 'conflict', 'conflict']);
      const winner = ['a', 'b', 'c'][outcomes.indexOf('committed')];
      expect(text(await store.get('epoch/1'))).toBe(winner as string);
    });

    test('clips ranges at the end', async () => {
      const store = await open();
      await store.put('sst/a', bytes('abcdef'));
      expect(text(await store.getRange('sst/a', 2, 3))).toBe('cde');
      expect(text(await store.getRange('sst/a', 4, 9))).toBe('ef');
      expect(text(await store.getRange('sst/a', 9, 9))).toBe('');
      expect(await store.getRange('sst/b', 0, 1)).toBeUndefined();
    });

    test('reads at random', async () => {
      const store = await open();
      await store.put('sst/a', bytes('abcdef'));
      const reader = await store.openRead('sst/a');
      const target = new Uint8Array(4);
      expect(reader).toMatchObject({ name: 'sst/a', bytes: 6 });
      expect(await reader.readInto(1, target)).toBe(4);
      expect(text(target)).toBe('bcde');
      expect(await reader.readInto(4, target)).toBe(2);
      expect(text(target)).toBe('efde');
      expect(await reader.readInto(10, target)).toBe(0);
      reader.close();
      const missing = { fault: { kind: 'missing', object: 'sst/b' } };
      expect(async () => store.openRead('sst/b')).toThrow(expect.objectContaining(missing));
    });

    test('deletes what is there', async () => {
      const store = await open();
      const names = Array.from({ length: 20 }, (_, i) => `sst/${i}`);
      for (const object of names) await store.put(object, bytes(object));
      await store.delete([]);
      await store.delete(['sst/3', 'sst/never', 'sst/4']);
      await store.delete(['sst/5']);
      await store.delete(['sst/5']);
      expect(await store.get('sst/3')).toBeUndefined();
      expect((await store.list('sst/')).map((head) => head.name)).toEqual(
        names.filter((object) => !['sst/3', 'sst/4', 'sst/5'].includes(object)).sort(),
      );
    });

    test('lists by prefix, in order, after a name', async () => {
      const store = await open();
      for (const object of ['sst/2', 'sst/1', 'wal/1', 'sst/10', 'other/deep/er']) {
        await store.put(object, bytes(object));
      }
      const names = async (prefix: string, after?: string) =>
        (await store.list(prefix, after)).map((head) => head.name);
      expect(await names('sst/')).toEqual(['sst/1', 'sst/10', 'sst/2']);
      expect(await names('sst/1')).toEqual(['sst/1', 'sst/10']);
      expect(await names('sst/', 'sst/10')).toEqual(['sst/2']);
      expect(await names('other/')).toEqual(['other/deep/er']);
      expect(await names('nothing/')).toEqual([]);
      expect(await names('')).toHaveLength(5);
    });
  });
}
