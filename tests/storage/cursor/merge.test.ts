import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { Lookup } from '../../../src/storage/cursor/lookup.ts';
import { findNewest, mergeVersions, scanNewest } from '../../../src/storage/cursor/read-sources.ts';
import type { CursorSource } from '../../../src/storage/cursor/source.ts';
import {
  anyDirection,
  anyKey,
  anyRange,
  anyWrites,
  byKeyNewestFirst,
  Model,
  readAll,
  readInRuns,
} from '../model.ts';
import { anyCuts, sourcesOf } from './history-sources.ts';

describe('against the model', () => {
  test('gets and scans through several sources', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyWrites(80),
        anyCuts,
        fc.record({ key: anyKey, range: anyRange, direction: anyDirection, snapshot: fc.nat(81) }),
        fc.boolean(),
        async (writes, cuts, { key, range, direction, snapshot }, isLate) => {
          const model = new Model();
          for (const write of writes) model.write(write);
          const sources = sourcesOf(writes, cuts, isLate);
          const lookup = new Lookup().ask(key, snapshot);
          let found = findNewest(sources, lookup);
          while (found instanceof Promise) {
            await found;
            found = findNewest(sources, lookup);
          }
          const value = found && !lookup.isTombstone ? lookup.bytes() : undefined;
          expect(value && Buffer.from(value).toString('hex')).toBe(model.get(key, snapshot));
          const shown = model.scan(range, direction, snapshot);
          expect(await readAll(scanNewest(sources, range, direction, snapshot))).toEqual(shown);
          for (const max of [1, 2, 1000]) {
            const cursor = scanNewest(sources, range, direction, snapshot);
            expect(await readInRuns(cursor, max)).toEqual(shown);
          }
        },
      ),
      { numRuns: 600 },
    );
  });

  test('all versions, newest first within a key', async () => {
    await fc.assert(
      fc.asyncProperty(anyWrites(80), anyCuts, fc.boolean(), async (writes, cuts, isLate) => {
        fc.pre(writes.length > 0);
        const everything = { from: new Uint8Array(0), to: undefined };
        const cursor = mergeVersions(sourcesOf(writes, cuts, isLate), everything);
        const seen: unknown[] = [];
        for (;;) {
          const next = cursor.next();
          if (next instanceof Promise) await next;
          else if (!next) break;
          else seen.push([cursor.key.slice(cursor.keyFrom, cursor.keyTo).toHex(), cursor.sequence]);
        }
        expect(seen).toEqual(
          writes.toSorted(byKeyNewestFirst).map(({ key, sequence }) => [key.toHex(), sequence]),
        );
      }),
      { numRuns: 300 },
    );
  });
});

test('a failing source fails the scan, and the others can still be closed', () => {
  const broken: CursorSource = {
    find: () => false,
    findAll: () => undefined,
    near: () => broken,
    scan: () => {
      const [good] = sourcesOf(
        [{ key: Uint8Array.of(1), value: undefined, sequence: 1 }],
        [],
        false,
      );
      const cursor = (good as CursorSource).scan(
        { from: new Uint8Array(0), to: undefined },
        'forward',
        1,
      );
      cursor.next = () => {
        throw new Error('lost');
      };
      return cursor;
    },
    versions: () => {
      throw new Error('unused');
    },
    entriesIn: () => 0,
  };
  const range = { from: new Uint8Array(0), to: undefined };
  const [good] = sourcesOf([{ key: Uint8Array.of(2), value: undefined, sequence: 2 }], [], false);
  const cursor = scanNewest([good as CursorSource, broken], range, 'forward', 5);
  expect(() => cursor.next()).toThrow('lost');
  cursor.close();
});
