/**
 * Point reads of large values of tables that are not local, over the smallest cache: what one read needs does not fit into it, and yet each
 * read comes to an end, with the requests that it would need without a cache.
 */

import { describe, expect, test } from 'bun:test';
import { systemWorld } from '#base';
import { BlockCache } from '../../../src/storage/cache/block-cache.ts';
import type { ObjectReader } from '../../../src/storage/object/store.ts';
import { SsTable } from '../../../src/storage/table/ss-table.ts';
import { LiveSequences } from '../../../src/storage/version/live-sequences.ts';
import { Version } from '../../../src/storage/version/version.ts';
import { View } from '../../../src/storage/version/view.ts';
import { outcomeOf } from '../../support/outcome.ts';
import { readerOf, type TableFile, writeTable } from '../files.ts';

const mib = 1 << 20;
/** The smallest that an operator may set. */
const cacheBytes = 16 * mib;
/** A read that goes on and on would never fail otherwise. */
const readsMax = 500;

class Remote {
  reads = 0;

  /** Each read takes a turn of the event loop. */
  reader(local: ObjectReader): ObjectReader {
    return {
      ...local,
      readInto: async (offset, target) => {
        if (++this.reads > readsMax) throw new Error('reads without end');
        await new Promise((resolve) => setImmediate(resolve));
        return local.readInto(offset, target);
      },
    };
  }
}

const key = (text: string) => new Uint8Array(Buffer.from(text));
const filled = (text: string, bytes: number) => new Uint8Array(bytes).fill(text.charCodeAt(0));

/** One table for each list of keys, newest first. None has a filter, as they have few keys. */
function filesOf(tables: readonly (readonly string[])[], valueBytes: number): TableFile[] {
  return tables.map((keys, age) => {
    const versions = keys.map((text) => {
      return { key: key(text), sequence: tables.length - age, value: filled(text, valueBytes) };
    });
    return writeTable(versions, {}, `sst/0000000001-000000000${age}`);
  });
}

function open(files: readonly TableFile[], retired: () => void = () => {}) {
  const remote = new Remote();
  const cache = new BlockCache(cacheBytes);
  const sources = files.map(({ entry, bytes }) => {
    return new SsTable(remote.reader(readerOf(entry.name, bytes)), entry, { cache });
  });
  const current = new Version(sources, [], retired);
  const view = new View({ current }, new LiveSequences(), files.length, systemWorld().scheduler);
  return { view, remote, current };
}

async function get(view: Pick<View, 'get'>, text: string): Promise<Uint8Array | undefined> {
  for (;;) {
    const found = view.get(key(text));
    if (!(found instanceof Promise)) return found;
    await found;
  }
}

describe.each([2, 8, 16])('values of %d MiB', (valueMib) => {
  const valueBytes = valueMib * mib;
  const files = filesOf(
    [
      ['a', 'g'],
      ['b', 'f'],
      ['c', 'e'],
      ['d', 'z'],
    ],
    valueBytes,
  );
  const isWhole = (value: Uint8Array | undefined, text: string) =>
    value !== undefined && Buffer.compare(value, filled(text, valueBytes)) === 0;

  test('a key that four tables may hold', async () => {
    const { view, remote } = open(files);
    expect(isWhole(await get(view, 'd'), 'd')).toBe(true);
    // Of each table footer, top index, partition and block.
    expect(remote.reads).toBe(16);
    expect(await get(view, 'd1')).toBeUndefined();
  });

  test('two reads in turn, of which the first is made again for the second', async () => {
    const { view } = open(files);
    // As a row is found by way of an index.
    let row: ReturnType<View['get']>;
    do {
      const entry = view.get(key('e'));
      row = entry instanceof Promise ? entry : view.get(key('f'));
      await row;
    } while (row instanceof Promise);
    expect(isWhole(row, 'f')).toBe(true);
  });

  test('many reads at the same time', async () => {
    const { view } = open(files);
    const wanted = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'd1'];
    const found = await Promise.all(wanted.map((text) => get(view, text)));
    expect(found.map((value) => value?.[0])).toEqual(
      wanted.map((text) => (text === 'd1' ? undefined : text.charCodeAt(0))),
    );
  });
});

test('a read that fails is made again by who asks again', async () => {
  const { view, remote } = open(filesOf([['a', 'c'], ['b']], 1));
  remote.reads = readsMax;
  expect(await outcomeOf(get(view, 'b'))).toThrow();
  remote.reads = 0;
  expect(await get(view, 'b')).toEqual(filled('b', 1));
});

test('what is being read stays open although its view is given up', async () => {
  let isRetired = false;
  const { view, current } = open(filesOf([['a']], 9), () => {
    isRetired = true;
  });
  const wait = view.get(key('a'));
  view.release();
  current.release();
  expect(isRetired).toBe(false);
  await wait;
  expect(isRetired).toBe(true);
});
